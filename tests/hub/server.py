"""A stand-in for the Hugging Face Hub on this machine, for tests: it answers as the Hub does, and on request goes wrong.

The Hub is at http://127.0.0.1:PORT. Large files are redirected to signed addresses of a second server, which is called
http://localhost:PORT, so that it has another name and another port. Every request is kept in `requests`.

For browsers, which must be told to find them on this machine, both can use https and the Hub's own names."""

import gzip
import hashlib
import http.server
import json
import socket
import threading
import time
import urllib.parse

COMMIT = hashlib.sha1(b"first").hexdigest()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def git_sha1(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Repository:
    def __init__(self, files, *, commit=COMMIT, license="apache-2.0", branches=("main",), tags=()):
        self.files = dict(files)
        self.commit = commit
        self.license = license
        self.revisions = [*branches, *tags, commit]
        self.gated = self.private = False
        self.renamed_to = None
        self.fail = None          # (status, headers) of every answer
        self.large = lambda path: path.endswith((".safetensors", ".bin"))
        self.head = {}            # path: headers that replace the usual ones of HEAD
        self.sizes = {}           # path: what the list of files says instead

    def etag(self, path):
        return (sha256 if self.large(path) else git_sha1)(self.files[path])


class Faults:
    """Errors while sending large files."""

    def __init__(self):
        self.uses = None          # requests that a signed address is good for
        self.closings = 0         # answers that end in the middle
        self.closes_after = 1 << 16
        self.cuts_to = None       # bytes that are announced and sent, whatever is asked for
        self.content = None       # sent instead of the file's
        self.ranges = True        # False: 200 and the whole file, whatever is asked for
        self.shift = 0            # bytes by which a range begins too late
        self.statuses = []        # of the next answers, before any other
        self.pause = 0.0          # seconds between pieces
        self.piece = 1 << 16
        self.location = None      # where HEAD and GET are redirected instead
        self.stalls = False       # sends no more after closes_after, and keeps the connection
        self.holds_after = None   # bytes of all answers together; the rest waits until this is None again
        self.sent = 0             # so far, of all answers together


class Request:
    def __init__(self, server, handler):
        self.server = server                      # "hub" or "cdn"
        self.method = handler.command
        self.path = handler.path
        self.headers = dict(handler.headers.items())
        self.range = handler.headers.get("Range")
        self.token = handler.headers.get("Authorization")
        self.sent = 0

    def __repr__(self):
        return f"{self.server} {self.method} {self.path} {self.range or ''}"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, kind, hub):
        self.kind, self.hub = kind, hub
        super().__init__(("127.0.0.1", 0), Handler)
        if hub.tls:  # each connection's own thread shakes hands
            self.socket = hub.tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, request, address):
        pass  # a program that was killed leaves broken connections


class Hub:
    def __init__(self, tls=None):
        """tls: an ssl.SSLContext, for https and the Hub's own names."""
        self.tls = tls
        self.cors = {"hub", "cdn"}  # those that let the pages of other servers read their answers
        self.repositories = {}
        self.faults = Faults()
        self.token = None         # that gated and private repositories ask for
        self.requests = []
        self.signatures = {}      # of signed addresses: what they lead to, and how often they were used
        self.lists_files = True
        self.knows_models = True  # /api/models/NAME
        self.lock = threading.Lock()
        self.hub, self.cdn = Server("hub", self), Server("cdn", self)
        self.address = "https://huggingface.co" if tls else f"http://127.0.0.1:{self.hub.server_port}"
        self.cdn_address = "https://us.aws.cdn.hf.co" if tls else f"http://localhost:{self.cdn.server_port}"

    def close(self):
        for server in (self.hub, self.cdn):
            server.shutdown()
            server.server_close()

    def of(self, server, method=None):
        return [r for r in self.requests if r.server == server and method in (None, r.method)]

    def sign(self, name, path):
        with self.lock:
            signature = f"{len(self.signatures):08x}"
            self.signatures[signature] = [name, path, 0]
        return f"{self.cdn_address}/{name}/{path}?Signature={signature}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def end_headers(self):
        # As the Hub and its servers of files did in October 2026. Neither answers OPTIONS.
        if self.headers.get("Origin") and self.server.kind in self.server.hub.cors:
            is_hub = self.server.kind == "hub"
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"] if is_hub else "*")
            self.send_header("Access-Control-Expose-Headers",
                             "X-Repo-Commit,X-Request-Id,X-Error-Code,X-Error-Message,X-Total-Count,ETag,Link,Accept-Ranges,"
                             "Content-Range,X-Linked-Size,X-Linked-ETag,X-Xet-Hash" if is_hub else "*")
        super().end_headers()

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def answer(self):
        hub = self.server.hub
        self.request_seen = Request(self.server.kind, self)
        hub.requests.append(self.request_seen)
        (self.answer_as_hub if self.server.kind == "hub" else self.answer_as_cdn)(hub)

    # --- the Hub ---

    def answer_as_hub(self, hub):
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if path.startswith("/api/models/"):
            return self.answer_api(hub, path.removeprefix("/api/models/"))
        name, _, rest = path.lstrip("/").partition("/resolve/")
        repository = self.permitted(hub, name, lambda new: f"/{new}/resolve/{rest}")
        if repository is None:
            return
        revision = next((r for r in repository.revisions if rest.startswith(r + "/")), None)
        if revision is None:
            return self.refuse(404, "RevisionNotFound")
        self.answer_file(hub, name, repository, rest.removeprefix(revision + "/"))

    def answer_file(self, hub, name, repository, path):
        headers = {"X-Repo-Commit": repository.commit}
        if path not in repository.files:
            return self.refuse(404, "EntryNotFound", headers)
        data, etag = repository.files[path], repository.etag(path)
        if not repository.large(path):
            headers.update({"ETag": f'W/"{etag}"'})
            headers.update(repository.head.get(path, {}))
            return self.send(200, data, headers)
        headers.update({"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(len(data)), "ETag": '"0123"',
                        "Location": hub.faults.location or hub.sign(name, path)})
        headers.update(repository.head.get(path, {}))
        self.send(302, b"Found. Redirecting", headers)

    def answer_api(self, hub, rest):
        parts = rest.split("/", 3)
        name, more = "/".join(parts[:2]), parts[2:]
        query = urllib.parse.urlsplit(self.path).query
        repository = self.permitted(hub, name, lambda new: "/".join(["/api/models", new, *more]) + (query and "?" + query))
        if repository is None:
            return
        if not more and hub.knows_models:
            return self.send_json({"id": name, "sha": repository.commit, "tags": ["vit"],
                                   "cardData": {"license": repository.license}})
        if more[:1] == ["revision"] and query == "blobs=true":
            if more[1] not in repository.revisions:
                return self.refuse(404, "RevisionNotFound")
            return self.send_json({"id": name, "sha": repository.commit,
                                   "siblings": [self.described(repository, path) for path in repository.files]})
        if more[:1] == ["refs"]:
            return self.send_json({"branches": [{"name": r, "ref": f"refs/heads/{r}", "targetCommit": repository.commit}
                                                for r in repository.revisions[:-1]], "tags": []})
        if more[:1] == ["tree"] and hub.lists_files and more[1:] in ([repository.commit], ["main"]):
            return self.send_json([{"type": "file", "path": path, "size": len(data), "oid": git_sha1(data)}
                                   for path, data in repository.files.items()])
        self.refuse(404, "")

    @staticmethod
    def described(repository, path):
        data = repository.files[path]
        size = repository.sizes.get(path, len(data))
        large = {"lfs": {"sha256": sha256(data), "size": size, "pointerSize": 134}} if repository.large(path) else {}
        return {"rfilename": path, "size": size, "blobId": git_sha1(data), **large}

    def permitted(self, hub, name, address_of):
        repository = hub.repositories.get(name)
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if repository is None:
            self.refuse(401 if not token else 404, "RepoNotFound")
        elif repository.fail:
            self.send(repository.fail[0], b"", repository.fail[1])
        elif repository.renamed_to:
            self.send(307, b"", {"Location": address_of(repository.renamed_to)})
        elif repository.private and token != hub.token:
            self.refuse(401, "RepoNotFound")
        elif repository.gated and token != hub.token and not self.path.startswith("/api/"):
            self.refuse(403 if token else 401, "GatedRepo", {"X-Repo-Commit": repository.commit})
        else:
            return repository
        return None

    # --- where large files are ---

    def answer_as_cdn(self, hub):
        faults = hub.faults
        signature = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("Signature", [""])[0]
        with hub.lock:
            if signature not in hub.signatures:
                return self.send(403, b"<Error>AccessDenied</Error>", {})
            entry = hub.signatures[signature]
            entry[2] += 1
            status = faults.statuses.pop(0) if faults.statuses else None
        if status:
            return self.send(status, b"<Error/>", {})
        if faults.uses is not None and entry[2] > faults.uses:
            return self.send(403, b"<Error>Request has expired</Error>", {})
        data = faults.content if faults.content is not None else hub.repositories[entry[0]].files[entry[1]]
        self.send_part(data, faults)

    def send_part(self, data, faults):
        size, begin, end = len(data), 0, len(data)
        asked = self.headers.get("Range")
        partial = bool(asked and faults.ranges)
        if partial:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            begin, end = int(first) + faults.shift, min(int(last) + 1 if last else size, size)
            if begin >= size:
                return self.send(416, b"", {"Content-Range": f"bytes */{size}"})
        body = data[begin:end]
        if faults.cuts_to is not None and len(body) > 100_001:
            body = body[:faults.cuts_to]
        self.send_response(206 if partial else 200)
        if partial:
            self.send_header("Content-Range", f"bytes {begin}-{begin + len(body) - 1}/{size}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"not-a-hash"')
        self.end_headers()
        self.send_pieces(body, faults)

    def send_pieces(self, body, faults):
        closes = None
        with self.server.hub.lock:
            if faults.closings > 0 and len(body) > faults.closes_after:
                faults.closings -= 1
                closes = faults.closes_after
        for at in range(0, len(body) if closes is None else closes, faults.piece):
            while faults.holds_after is not None and faults.sent >= faults.holds_after:
                time.sleep(0.01)
            self.wfile.write(body[at:at + faults.piece])
            self.request_seen.sent = at + faults.piece
            faults.sent += faults.piece
            if faults.pause:
                time.sleep(faults.pause)
        if closes is not None:
            while faults.stalls:
                time.sleep(0.1)
            self.close_connection = True

    # --- answers ---

    def refuse(self, status, code, headers=None):
        self.send(status, b"", {**({"X-Error-Code": code} if code else {}), **(headers or {})})

    def send_json(self, value):
        self.send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def send(self, status, body, headers):
        if body and "gzip" in self.headers.get("Accept-Encoding", ""):
            body, headers = gzip.compress(body), {**headers, "Content-Encoding": "gzip"}
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
