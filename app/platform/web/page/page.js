'use strict';

// The page around the program: starts it, hands it what the address asks for, and downloads what it saves. It asks for
// nothing but the files beside it.

const byId = (id) => document.getElementById(id);
const canvas = byId('canvas');

const kSession = '/home/web_user/.local/state/headlight/session.json';
const kSavedSession = 'headlight-session';
const kDownloads = '/downloads';
const kMostLink = 1 << 20;  // characters

const kLink = location.hash.startsWith('#s=') ? location.hash.slice(3) : '';

// ---- messages

function say(sentence) {
  byId('cover').hidden = false;
  byId('status').hidden = byId('progress').hidden = true;
  byId('trouble').hidden = false;
  byId('trouble').textContent = sentence;
}

function validates(...bytes) {
  return WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...bytes]));
}

// Relaxed SIMD fuses a product and a sum. headlight-relaxed.wasm uses it, and multiplies matrices in three quarters
// of the time.
function hasRelaxedSimd() {
  return validates(1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15,
    253, 133, 2, 11);
}

// What this browser lacks, as a sentence, or nothing.
function whatIsMissing() {
  if (typeof WebAssembly !== 'object')
    return 'This browser does not support WebAssembly. Update it, or use the desktop program.';
  const simd = validates(1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);
  const exceptions = validates(1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11);
  if (!simd || !exceptions)
    return 'This browser’s WebAssembly lacks ' + (simd ? 'exception handling' : 'SIMD instructions') +
        ', which browsers have had since 2022. Update it, or use the desktop program.';
  if (!document.createElement('canvas').getContext('webgl2'))
    return 'This browser does not support WebGL 2. Turn on hardware acceleration in its settings, update the graphics driver, ' +
        'or use the desktop program.';
  return '';
}

// Returns the previous mark. Where a browser stores nothing, even asking may throw; then any mark may have been set.
function mark(value) {
  const kName = 'headlight-isolated';
  try {
    const before = sessionStorage.getItem(kName);
    if (value) sessionStorage.setItem(kName, value);
    else sessionStorage.removeItem(kName);
    return before;
  } catch (error) {
    return 'unknown';
  }
}

// ---- the service worker: it adds the two headers that threads need, and keeps the page for offline use

// Whether the worker runs, once that is known. It never will if it could not keep the page's files.
function started(registration) {
  const worker = registration.active || registration.waiting || registration.installing;
  return new Promise((resolve) => {
    const look = () => {
      if (registration.active) resolve(true);
      else if (worker.state === 'redundant') resolve(false);
    };
    worker.addEventListener('statechange', look);
    look();
  });
}

// Resolves once the page may use threads, or when it never will. If threads need a reload, it never resolves. A page in
// another page's frame, or one that may not store anything, gets no threads and computes between frames.
async function isolate() {
  let registration;
  try {
    registration = await navigator.serviceWorker.register('service-worker.js' + (hasRelaxedSimd() ? '?relaxed' : ''));
  } catch (error) {
    return;  // this browser, or this frame, has no workers
  }
  if (self.crossOriginIsolated || !await started(registration) || mark('tried')) return;
  location.reload();
  await new Promise(() => {});
}

// The program's memory is of the kind that threads share, even where there are none. Browsers then still create such
// memory, but hide the name of its type, which headlight.js uses.
function nameSharedMemory() {
  self.SharedArrayBuffer ||= new WebAssembly.Memory({initial: 0, maximum: 0, shared: true}).buffer.constructor;
}

// ---- what the address asks for

// The program's arguments. Of the address, only the name of a lesson that comes with Headlight and a state as text
// reach the program, which checks that text as it checks any file.
function askedFor(FS) {
  const words = ['--threads', self.crossOriginIsolated ? 'yes' : 'no'];
  if (matchMedia('(prefers-color-scheme: light)').matches) words.push('--theme', 'light');
  const query = new URLSearchParams(location.search);
  const lesson = query.get('lesson'), stop = query.get('stop');
  if (lesson !== null) {
    const folder = '/headlight/assets/lessons';
    const name = FS.readdir(folder).find((name) =>
        name.endsWith('.md') && (name === lesson + '.md' || name.startsWith(lesson + '-')) && /^\d/.test(name));
    if (name) words.push(`${folder}/${name}`);
    const reached = name && stopReached(name);  // after a reload
    if (reached) words.push('--stop', String(reached));
    else if (name && /^[1-9]\d{0,2}$/.test(stop || '')) words.push('--stop', stop);
    if (!name) words.push('--trouble', 'Headlight has no lesson of this name. Check the link.');
  }
  if (kLink && !savedSession()) words.push('--link', kLink.length > kMostLink ? '-' : kLink);
  return words.concat(self.headlightArguments || []);  // from tests
}

// ---- files out

// Files in the program's folder of downloads become downloads. Unfinished files have another name.
function downloadSaved() {
  for (const name of FS.readdir(kDownloads)) {
    const path = `${kDownloads}/${name}`;
    if (/^\.|\.part$/.test(name) || !FS.isFile(FS.stat(path).mode)) continue;
    const link = document.createElement('a');
    link.download = name;
    link.href = URL.createObjectURL(new Blob([FS.readFile(path)]));
    FS.unlink(path);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }
}

// A link or a lesson opens beside what this browser has saved, and leaves it as it is. What is changed then is kept for a
// reload of this tab.
function storage() {
  const own = /[?&]lesson=/.test(location.search) ? location.search : kLink;
  return own ? [sessionStorage, kSavedSession + own] : [localStorage, kSavedSession];
}

function savedSession() {
  try {
    const [store, name] = storage();
    return store.getItem(name);
  } catch (error) {
    return null;  // this browser stores nothing
  }
}

// The stop of a lesson at which the saved session left it, or 0.
function stopReached(name) {
  try {
    return JSON.parse(savedSession()).lessons.find(({file}) => file.endsWith('/' + name)).stop + 1;
  } catch (error) {
    return 0;  // there is no session, or it knows no such lesson
  }
}

function saveSession() {
  try {
    const session = FS.readFile(kSession, {encoding: 'utf8'}), [store, name] = storage();
    store.setItem(name, session);
    hub.remember(JSON.parse(session).recipe.weights);
  } catch (error) {
    // There is no session yet, or this browser stores nothing. The next visit then starts without one.
  }
}

function restoreSession() {
  FS.mkdirTree(kSession.replace(/\/[^/]*$/, ''));
  const session = savedSession();
  if (session) FS.writeFile(kSession, session);
}

// The text in a link, which the program checks later.
async function stateInLink(link) {
  const bytes = Uint8Array.from(atob(link.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
  const parts = [];
  for (let size = 0; size <= kMostLink;) {
    const {done, value} = await reader.read();
    if (done) return new Blob(parts).text();
    parts.push(value);
    size += value.length;
  }
  throw new Error('too large');
}

// The files of a model from the Hub that the link or the session names and the browser has kept.
async function keptModel() {
  try {
    const {weights} = JSON.parse(savedSession() || await stateInLink(kLink)).recipe;
    const repository = weights.startsWith('hub:') ? 'models--' + weights.slice(4).replace('/', '--')
        : /\/(models--[\w.-]+)\/snapshots\//.exec(weights)[1];
    return await hub.filesOf(repository);
  } catch (error) {
    return [];  // it names none, is damaged, or this browser stores nothing
  }
}

// ---- typing on a screen: a browser shows its keyboard only for a field of its own

const typing = byId('typing');

function hearTyping() {
  const filled = ' '.repeat(100);  // so that there is always something to remove
  let touched = false, before = [];
  addEventListener('pointerdown', (event) => touched = event.pointerType === 'touch');
  typing.addEventListener('focus', () => {
    typing.value = filled;
    before = [...filled];
  });
  typing.addEventListener('input', () => {
    const now = [...typing.value];
    let same = 0;
    while (same < now.length && now[same] === before[same]) ++same;
    Module.ccall('headlight_typed', null, ['number', 'string'], [before.length - same, now.slice(same).join('')]);
    before = now;
  });
  Module.page.showKeyboard = (shown) => {
    if (shown && touched) typing.focus({preventScroll: true});
    if (!shown && document.activeElement === typing) canvas.focus();
  };
}

// ---- graphics

// A browser draws in another process. If a page asks for some part of WebGL's state, it waits until that process has drawn
// everything before. The program asks often, so this page remembers what it was told.
function rememberState(gl) {
  const known = new Map(), ask = gl.getParameter;
  gl.getParameter = (name) => known.has(name) ? known.get(name) : ask.call(gl, name);
  const hear = (command, learned) => {
    const carryOut = gl[command];
    gl[command] = (...given) => {
      for (const [name, value] of learned(...given)) known.set(name, value);
      carryOut.apply(gl, given);
    };
  };
  hear('pixelStorei', (name, value) => [[name, value]]);
  hear('colorMask', (...mask) => [[gl.COLOR_WRITEMASK, mask.map(Boolean)]]);
  hear('scissor', (...box) => [[gl.SCISSOR_BOX, Int32Array.from(box)]]);
  hear('blendEquationSeparate', (color, alpha) => [[gl.BLEND_EQUATION_RGB, color], [gl.BLEND_EQUATION_ALPHA, alpha]]);
  hear('blendFuncSeparate', (source, target, sourceAlpha, targetAlpha) => [[gl.BLEND_SRC_RGB, source],
    [gl.BLEND_DST_RGB, target], [gl.BLEND_SRC_ALPHA, sourceAlpha], [gl.BLEND_DST_ALPHA, targetAlpha]]);
  gl.blendEquation = (equation) => gl.blendEquationSeparate(equation, equation);
  gl.blendFunc = (source, target) => gl.blendFuncSeparate(source, target, source, target);
}

// ---- the program

let graphicsLost = false;

var Module = {
  canvas,
  arguments: [],
  locateFile: (name) => name === 'headlight.wasm' && hasRelaxedSimd() ? 'headlight-relaxed.wasm' : name,
  print: (text) => console.log(text),
  printErr: (text) => {
    console.error(text);
    Module.lastError = text;
  },
  setStatus: (text) => {
    const part = /\((\d+(?:\.\d+)?)\/(\d+)\)/.exec(text);
    if (part) byId('progress').value = part[1] / part[2];
  },
  preRun: [() => {
    for (const folder of [kDownloads, ownFiles.folder]) FS.mkdirTree(folder);
    FS.chdir(kDownloads);
    restoreSession();
  }],
  onRuntimeInitialized: () => Module.arguments.push(...askedFor(FS)),
  onAbort: () => say('Headlight stopped unexpectedly. Reload the page to continue where you left off.'),
  onExit: (status) => {
    if (status !== 0) say(Module.lastError || 'Headlight could not start. Reload the page.');
  },
  page: {
    rememberState,
    drawn() {
      if (graphicsLost || byId('cover').hidden) return;
      byId('cover').hidden = true;
      canvas.focus();
      performance.mark('headlight-drawn');
    },
    ended() {
      saveSession();
      say('Headlight has closed. Reload the page to start it again.');
    },
    failed: () => say(Module.lastError || 'Headlight stopped unexpectedly. Reload the page to start it again.'),
    pick: () => byId('files').click(),
    showKeyboard() {},  // until the page listens
    async copy(text) {
      try {
        await navigator.clipboard.writeText(text);
      } catch (error) {
        prompt('This browser does not let the page copy. Copy the text from here:', text);
      }
    },
  },
};

function listen() {
  ownFiles.listen();
  hearTyping();
  setInterval(downloadSaved, 300);
  setInterval(saveSession, 3000);
  addEventListener('pagehide', saveSession);
  addEventListener('hashchange', () => location.reload());
  // A new context would need every texture again. A reload with the session is simpler.
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    graphicsLost = true;
    saveSession();
    say('The browser stopped this page’s graphics. Headlight restarts when they are back. If it does not, reload the page.');
  });
  canvas.addEventListener('webglcontextrestored', () => location.reload());
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
}

// Without this, a page whose files do not all arrive, or that gets no memory, would say "Loading…" forever.
function failedToLoad(event) {
  if (byId('cover').hidden || !byId('trouble').hidden) return;
  const reason = String(event.message || (event.reason && event.reason.message) || event.reason || 'no reason given');
  say(`Headlight could not be loaded (${reason}). Check the network and the free memory, then reload the page.`);
}

async function start() {
  byId('silent').remove();  // which a browser shows after ten seconds if it cannot run this
  const missing = whatIsMissing();
  if (missing) return say(missing);
  for (const kind of ['error', 'unhandledrejection']) addEventListener(kind, failedToLoad);
  await isolate();
  mark('');
  try {
    nameSharedMemory();
  } catch (error) {
    return say('This browser runs Headlight only on secure pages that may store data. Open this page over https or from ' +
        'localhost, in a window of its own that is not private. Or use the desktop program.');
  }
  const kept = (await Promise.all([keptModel(), ownFiles.kept(savedSession())])).flat();
  Module.preRun.push(() => kept.forEach(({path, bytes}) => hub.write(path, bytes)));
  Module.postRun = [listen];
  const script = document.createElement('script');
  script.src = 'headlight.js';
  script.onerror = () => say('headlight.js could not be loaded. Check the network, then reload the page.');
  document.body.append(script);
}

start();
