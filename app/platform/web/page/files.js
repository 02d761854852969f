'use strict';

// The user's own files. Dropped, picked or pasted, they become files of the program's file system. The browser keeps them
// for a reload, as long as the session names them.

const ownFiles = (() => {
  const kFolder = '/files';
  const kCache = 'headlight-files';      // the service worker does not delete it
  const kKeys = 'own/';                  // of its files begin so
  const kMostBytes = 2 ** 31 - 1;        // of one file: the memory of a page has 4 GB
  const kUnusedTime = 24 * 3600 * 1000;  // ms; until then, another tab may need a file

  // ---- what the browser keeps

  const pathOf = (file) => `${kFolder}/${file.name.replaceAll('/', '_')}`;
  const keyOf = (path) => kKeys + encodeURIComponent(path);

  // Without a promise: files open before they are kept. They belong together: a checkpoint needs its config and shards.
  async function keep(files) {
    const headers = {'X-Time': Date.now()};
    try {
      const cache = await caches.open(kCache);
      for (const file of files) await cache.put(keyOf(pathOf(file)), new Response(file, {headers}));
    } catch (error) {
      // This browser stores nothing, or has no room.
    }
  }

  // Paths in the state, except in the lists of recent files.
  function namedIn(value) {
    if (typeof value === 'string') return value.startsWith(kFolder + '/') ? [value] : [];
    return Object.entries(value || {}).flatMap(([key, part]) => key.startsWith('recent') ? [] : namedIn(part));
  }

  // The kept files that a session names, and those that came with them, as paths and bytes. Forgets others.
  async function kept(session) {
    try {
      const cache = await caches.open(kCache), named = new Set(namedIn(JSON.parse(session)).map(keyOf));
      const files = await Promise.all((await cache.keys()).map(async (request) => {
        const response = await cache.match(request);
        const key = request.url.slice(request.url.lastIndexOf(kKeys)), time = response.headers.get('X-Time');
        return {request, response, key, time};
      }));
      const times = new Set(files.filter(({key}) => named.has(key)).map(({time}) => time));
      for (const {request, time} of files)
        if (!times.has(time) && Date.now() - time > kUnusedTime) await cache.delete(request);
      return await Promise.all(files.filter(({time}) => times.has(time)).map(async ({key, response}) =>
          ({path: decodeURIComponent(key.slice(kKeys.length)), bytes: new Uint8Array(await response.arrayBuffer())})));
    } catch (error) {
      return [];  // this browser stores nothing
    }
  }

  // ---- taking files

  async function take(list) {
    const files = [...list];
    const large = files.find((file) => file.size > kMostBytes);
    if (large) {
      alert(`${large.name}: expected at most 2.1 GB, found ${(large.size / 1e9).toFixed(1)} GB. Use the desktop ` +
          'program for larger files.');
      return;
    }
    for (const file of files) {
      try {
        FS.writeFile(pathOf(file), new Uint8Array(await file.arrayBuffer()), {canOwn: true});
      } catch (error) {
        alert(`${file.name}: the browser could not read this file, or has no memory for it. Drop a folder’s files, not ` +
            'the folder.');
        return;
      }
    }
    keep(files);
    for (const path of toOpen(files.map(pathOf))) Module.ccall('headlight_dropped', null, ['string'], [path]);
    canvas.focus();
  }

  // The program finds a checkpoint's config and shards in the same folder.
  function toOpen(paths) {
    const index = paths.filter((path) => path.endsWith('.index.json'));
    const weights = paths.filter((path) => /\.(safetensors|npz|npy|pth|pt|bin|ckpt)$/i.test(path));
    const others = paths.filter((path) => !/\/config\.json$/.test(path));
    return [index, weights, others, paths].find((some) => some.length) || [];
  }

  function listen() {
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      if (event.dataTransfer) take(event.dataTransfer.files);
    });
    byId('files').addEventListener('change', (event) => {
      take(event.target.files);
      event.target.value = '';
    });
    addEventListener('paste', (event) => {
      event.preventDefault();
      if (event.clipboardData.files.length) take(event.clipboardData.files);
      else Module.ccall('headlight_pasted', null, ['string'], [event.clipboardData.getData('text/plain')]);
    });
  }

  return {folder: kFolder, take, kept, listen};
})();
