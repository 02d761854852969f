'use strict';

// Downloads from the Hugging Face Hub, which the program asks for (app/hub/web) when the user has chosen a model. The
// requests carry no cookies, no token and no address of this page. A download becomes a file of the program's file
// system, and the browser keeps it for the next visit.

const hub = (() => {
  const kPauses = [250, 500, 1000, 2000, 4000];  // ms, before further attempts; any received byte restarts the list
  const kBetweenReports = 200;                   // ms
  const kStandingStill = 30000;                  // ms; a response without data for this long is given up
  const kLeastKept = 1 << 20;                    // bytes of a file that is worth keeping
  const kCache = 'headlight-models';             // the service worker does not delete it
  const kHeaders = ['content-length', 'content-range', 'etag', 'retry-after', 'x-error-code', 'x-linked-etag',
    'x-linked-size', 'x-repo-commit'];

  const running = new Map();  // an AbortController for each number
  const keys = new Map();     // of the files that the browser keeps, by their paths
  let unfinished = null;      // the last download that was canceled or failed: {path, start, bytes, arrived}

  // What went wrong, in the program's words (app/hub/web/download.cpp).
  class Trouble extends Error {
    constructor(outcome, detail = '', response = null) {
      super(outcome);
      Object.assign(this, {outcome, detail, response});
    }
  }

  function wait(time, signal) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, time);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }

  // Fetch gives no reason for a failure.
  async function ask(address, range, signal) {
    try {
      return await fetch(address, {headers: range ? {Range: range} : {}, signal, mode: 'cors', credentials: 'omit',
        referrerPolicy: 'no-referrer', cache: 'no-store'});
    } catch (error) {
      signal.throwIfAborted();
      throw new Trouble(navigator.onLine ? 'unreadable' : 'offline');
    }
  }

  async function readPiece(reader) {
    let timer = 0;
    const stalled = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no data for ${kStandingStill / 1000} s`)), kStandingStill);
    });
    try {
      return await Promise.race([reader.read(), stalled]);
    } finally {
      clearTimeout(timer);
    }
  }

  // Calls `take` for each piece of the body until that returns false.
  async function read(response, take, signal) {
    const reader = response.body.getReader();
    try {
      for (;;) {
        const {done, value} = await readPiece(reader);
        signal.throwIfAborted();
        if (done || !take(value)) return;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  }

  async function hashOf(bytes, digits) {
    const isSha256 = digits === 64;
    const hashed = isSha256 ? bytes : new Uint8Array(await new Blob([`blob ${bytes.length}\0`, bytes]).arrayBuffer());
    const hash = await crypto.subtle.digest(isSha256 ? 'SHA-256' : 'SHA-1', hashed);
    return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  function write(path, bytes) {
    FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    FS.writeFile(path, bytes, {canOwn: true});
  }

  // ---- models that the browser keeps

  // Throws if there is none, or it was damaged.
  async function readKept(cache, key, hash) {
    const found = await cache.match(key);
    const bytes = new Uint8Array(await found.arrayBuffer()), expected = hash || found.headers.get('X-Hash');
    if (await hashOf(bytes, expected.length) !== expected) throw new Error('damaged');
    return bytes;
  }

  const filesBelow = (folder) => FS.readdir(folder).filter((name) => !/^\.\.?$/.test(name)).flatMap((name) => {
    const path = `${folder}/${name}`;
    return FS.isDir(FS.stat(path).mode) ? filesBelow(path) : [path];
  });

  let remembered = '';

  // Remembers the files beside a checkpoint that was downloaded, for the next visit.
  async function remember(checkpoint) {
    const [, snapshot, repository] = /^(.*\/(models--[\w.-]+)\/snapshots\/[0-9a-f]{40})\//.exec(checkpoint) || [];
    if (!snapshot || snapshot === remembered) return;
    remembered = snapshot;
    try {
      const files = filesBelow(snapshot).map((path) => {
        const key = keys.get(FS.analyzePath(path).path);
        return key ? {path, key} : {path, small: btoa(Array.from(FS.readFile(path), (byte) => String.fromCharCode(byte)).join(''))};
      });
      await (await caches.open(kCache)).put('hub/' + repository, new Response(JSON.stringify(files)));
    } catch (error) {
      // This browser stores nothing.
    }
  }

  // A kept model's files. None if one of them is missing.
  async function filesOf(repository) {
    try {
      const cache = await caches.open(kCache);
      const files = await (await cache.match('hub/' + repository)).json();
      return await Promise.all(files.map(async ({path, key, small}) => {
        if (key) keys.set(path, key);
        return {path, bytes: key ? await readKept(cache, key, '') : Uint8Array.from(atob(small), (letter) => letter.charCodeAt(0))};
      }));
    } catch (error) {
      return [];
    }
  }

  // ---- small responses

  // The beginning of a body, at most `most` bytes, as a file.
  async function readSmall(number, order, signal) {
    const range = 'begin' in order ? `bytes=${order.begin}-${order.last ?? ''}` : '';
    const response = await ask(order.address, range, signal);
    const pieces = [];
    let size = 0;
    try {
      await read(response, (piece) => {
        pieces.push(piece.subarray(0, order.most - size));
        size += pieces.at(-1).length;
        return size < order.most;
      }, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new Trouble('broken', error.message);
    }
    const path = `/tmp/hub-${number}`;
    write(path, new Uint8Array(await new Blob(pieces).arrayBuffer()));
    return {detail: path, response};
  }

  // ---- files

  class Download {
    constructor(number, order, signal) {
      Object.assign(this, {number, order, signal});
      this.start = order.start ? FS.readFile(order.start) : new Uint8Array();
      this.spans = order.spans || [[0, order.size]];
      this.reported = 0;
    }

    async run() {
      const bytes = await this.kept() || await this.received();
      write(this.order.path, bytes);
      if (bytes.length >= kLeastKept) keys.set(this.order.path, this.order.key);
      unfinished = null;
      this.keep(bytes);
      return {};
    }

    async received() {
      const {path, size, hash} = this.order;
      if (!unfinished || unfinished.path !== path || unfinished.bytes.length !== size || !this.beginsWith(unfinished.start))
        this.startOver();
      let isResumed = unfinished.arrived > this.start.length;
      for (;;) {
        await this.receiveAll();
        const found = hash ? await hashOf(unfinished.bytes, hash.length) : '';
        this.signal.throwIfAborted();
        if (found === hash) return unfinished.bytes;
        unfinished = null;
        if (!isResumed) throw new Trouble('hash', found);
        isResumed = false;
        this.startOver();
      }
    }

    startOver() {
      const {path, size} = this.order;
      unfinished = null;
      try {
        unfinished = {path, start: this.start, bytes: new Uint8Array(size), arrived: this.start.length};
      } catch (error) {
        throw new Trouble('memory');
      }
      unfinished.bytes.set(this.start);
    }

    beginsWith(start) {
      return start.length === this.start.length && start.every((byte, at) => byte === this.start[at]);
    }

    async receiveAll() {
      let failures = 0, most = unfinished.arrived;
      this.report(true);
      while (unfinished.arrived < this.order.size) {
        const trouble = await this.receiveSome();
        if (unfinished.arrived > most) {
          most = unfinished.arrived;
          failures = 0;
        }
        if (!trouble) continue;
        this.report(true);
        if (failures === kPauses.length) throw trouble;
        await wait(kPauses[failures++], this.signal);
      }
    }

    // The bytes of the whole file that come next, as [begin, end].
    next() {
      let at = unfinished.arrived - this.start.length;
      for (const [begin, size] of this.spans) {
        if (at < size) return [begin + at, begin + size];
        at -= size;
      }
    }

    // Receives one response. Returns what ended it early, if another attempt may succeed.
    async receiveSome() {
      const [begin, end] = this.next();
      const isPart = Boolean(this.order.start);
      const range = isPart ? `bytes=${begin}-${end - 1}` : begin ? `bytes=${begin}-` : '';
      let response = null;
      try {
        response = await ask(this.order.address, range, this.signal);
      } catch (error) {
        if (error instanceof Trouble) return this.hasBytes() ? new Trouble('broken', 'network error') : error;
        throw error;
      }
      if (response.status !== 200 && response.status !== 206) return this.troubleOf(response);
      // A server without ranges sends the whole file.
      const sendsAll = response.status === 200;
      if (!sendsAll) this.expectRange(response, begin);
      else if (begin && !isPart) this.startOver();
      let skipped = sendsAll && isPart ? begin : 0;
      const stop = unfinished.arrived + end - (sendsAll && !isPart ? 0 : begin);
      try {
        await read(response, (piece) => {
          const before = Math.min(skipped, piece.length);
          skipped -= before;
          piece = piece.subarray(before);
          if (sendsAll && isPart) piece = piece.subarray(0, stop - unfinished.arrived);
          if (piece.length > stop - unfinished.arrived) throw new Trouble('surplus');
          unfinished.bytes.set(piece, unfinished.arrived);
          unfinished.arrived += piece.length;
          this.report();
          return !isPart || unfinished.arrived < stop;
        }, this.signal);
      } catch (error) {
        this.signal.throwIfAborted();
        if (error instanceof Trouble) {
          unfinished = null;
          throw error;
        }
        return new Trouble('broken', error.message);
      }
      return unfinished.arrived < stop ? new Trouble('short') : null;
    }

    hasBytes() {
      return unfinished.arrived > this.start.length;
    }

    troubleOf(response) {
      const trouble = new Trouble('status', '', response), status = response.status;
      response.body?.cancel().catch(() => {});
      if (status === 416) this.startOver();
      const mayPass = status === 403 || status === 408 || status === 416 || status >= 500;
      if (!mayPass || response.headers.get('x-error-code')) throw trouble;
      return trouble;
    }

    expectRange(response, begin) {
      const said = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') || '');
      if (said && Number(said[1]) === begin && (said[2] === '*' || Number(said[2]) === this.order.whole)) return;
      response.body?.cancel().catch(() => {});
      throw new Trouble('range');
    }

    report(always = false) {
      const now = performance.now();
      if (!always && now - this.reported < kBetweenReports) return;
      this.reported = now;
      Module.ccall('headlight_hub_arrived', null, ['number', 'number'], [this.number, unfinished.arrived]);
    }

    // ---- what an earlier visit has kept

    async kept() {
      const {size, hash} = this.order;
      if (size < kLeastKept) return null;
      try {
        const bytes = await readKept(await caches.open(kCache), this.order.key, hash);
        return bytes.length === size && this.beginsWith(bytes.subarray(0, this.start.length)) ? bytes : null;
      } catch (error) {
        return null;  // there is none, or this browser stores nothing
      } finally {
        this.signal.throwIfAborted();
      }
    }

    // Without a promise: the model opens before it is kept.
    async keep(bytes) {
      if (bytes.length < kLeastKept) return;
      try {
        const hash = this.order.hash || await hashOf(bytes, 64);
        await (await caches.open(kCache)).put(this.order.key, new Response(new Blob([bytes]), {headers: {'X-Hash': hash}}));
      } catch (error) {
        // This browser stores nothing, or has no room. The next visit downloads the file again.
      }
    }
  }

  // ---- the program's side

  async function carryOut(number, order, signal) {
    try {
      return {outcome: 'done', ...await (order.path ? new Download(number, order, signal).run() : readSmall(number, order, signal))};
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Trouble) return error;
      console.error(error);
      return {outcome: 'memory'};
    }
  }

  async function start(number, text) {
    const controller = new AbortController();
    running.set(number, controller);
    try {
      const {outcome, detail = '', response} = await carryOut(number, JSON.parse(text), controller.signal);
      const lines = kHeaders.filter((name) => response?.headers.has(name)).map((name) => `${name}: ${response.headers.get(name)}`);
      Module.ccall('headlight_hub_answered', null, ['number', 'string', 'string', 'number', 'string'],
          [number, outcome, detail, response ? response.status : 0, lines.join('\n')]);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      running.delete(number);
    }
  }

  return {start, stop: (number) => running.get(number)?.abort(), remember, filesOf, write};
})();
