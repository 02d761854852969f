'use strict';

// Keeps the page for offline use. It also adds the two headers that browsers require before a page may use threads
// (COOP and COEP; https://web.dev/articles/coop-coep), so any server of files will do.

const kVersion = '@VERSION@';  // of all files together
const kKept = ['headlight-models', 'headlight-files'];  // by hub.js and files.js
const kProgram = self.location.search === '?relaxed' ? 'headlight-relaxed.wasm' : 'headlight.wasm';  // as page.js chooses
const kFiles = ['./', 'index.html', 'hub.js', 'files.js', 'page.js', 'headlight.js', kProgram, 'headlight.data', 'headlight.svg',
  'headlight.webmanifest', 'screenshot.png'];

// Only documents and workers need them. Other responses are passed on as they are, which is faster for large files.
function isolated(response, destination) {
  if (!['document', 'iframe', 'frame', 'worker'].includes(destination)) return response;
  if (response.status === 0) return response;  // a redirect, which the browser follows itself
  const headers = new Headers(response.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  return new Response(response.body, {status: response.status, statusText: response.statusText, headers});
}

// Either all files of one version or none. A newer worker waits until no page of the older one is open, and takes over no
// page that is. So a page never gets parts of two versions.
async function keepAll() {
  const cache = await caches.open(kVersion);
  await cache.addAll(kFiles.map((file) => new Request(file, {cache: 'no-cache'})));
}

async function dropOthers() {
  for (const name of await caches.keys())
    if (name !== kVersion && !kKept.includes(name)) await caches.delete(name);
}

async function answer(request) {
  const cache = await caches.open(kVersion);
  const kept = await cache.match(request, {ignoreSearch: true});
  return isolated(kept || await fetch(request), request.destination);
}

self.addEventListener('install', (event) => event.waitUntil(keepAll()));
self.addEventListener('activate', (event) => event.waitUntil(dropOthers()));
self.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET' && new URL(event.request.url).origin === self.location.origin)
    event.respondWith(answer(event.request));
});
