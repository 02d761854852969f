"""`headlight get` against a stand-in for the Hub on this machine (server.py), in a cache of its own.

HEADLIGHT_KILLS=200 kills that many downloads instead of 15."""

import http.server
import json
import os
import pathlib
import pty
import random
import re
import select
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "ui")]
import server  # noqa: E402
import vit_file  # noqa: E402

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "headlight"
KILLS = int(os.environ.get("HEADLIGHT_KILLS", "15"))
NAME = "ada/vit"
TOKEN = "hf_" + "aBc123" * 5
WEIGHTS = "model.safetensors"
PATIENCE = 120


class Nothing(http.server.BaseHTTPRequestHandler):
    """A server without any file."""

    def do_GET(self):
        self.send_error(404)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def has_downloads():
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([PROGRAM, "get", NAME], capture_output=True, text=True,
                             env={**os.environ, "HF_HUB_CACHE": folder, "HF_ENDPOINT": "http://127.0.0.1:9"})
    return "cannot download files" not in run.stderr


def safetensors(tensors):
    """A file of zeros with the given names and shapes."""
    header, end = {}, 0
    for name, shape in tensors.items():
        begin, end = end, end + 4 * vit_file.count(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


def model_files():
    with tempfile.TemporaryDirectory() as folder:
        path = vit_file.write_vit(pathlib.Path(folder) / "m", 192, 12, 3, classes=10)
        return {"config.json": (path.parent / "config.json").read_bytes(),
                "preprocessor_config.json": b'{"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}',
                WEIGHTS: path.read_bytes(), "README.md": b"---\nlicense: mit\n---\n# A model\n"}


# --- a stand-in for huggingface_hub's rules (docs/hub/local-cache.md) ---


def find_in_cache(cache, name, path, revision="main"):
    """What `try_to_load_from_cache` gives: the path in the snapshot, or None."""
    folder = cache / ("models--" + name.replace("/", "--"))
    ref = folder / "refs" / revision
    commit = ref.read_text() if ref.is_file() else revision
    found = folder / "snapshots" / commit / path
    return found if found.is_file() else None


def write_to_cache(cache, name, repository, paths, revision="main"):
    folder = cache / ("models--" + name.replace("/", "--"))
    for path in paths:
        blob = folder / "blobs" / repository.etag(path)
        link = folder / "snapshots" / repository.commit / path
        for each in (blob, link):
            each.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(repository.files[path])
        link.symlink_to(os.path.relpath(blob, link.parent))
    ref = folder / "refs" / revision
    ref.parent.mkdir(parents=True, exist_ok=True)
    ref.write_text(repository.commit)


@unittest.skipUnless(has_downloads(), "built without libcurl or OpenSSL")
class HubTest(unittest.TestCase):
    """A Hub of its own, with one model, and a cache of its own."""

    files = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"
        self.hub = server.Hub()
        self.addCleanup(self.hub.close)
        self.repository = self.hub.repositories[NAME] = server.Repository(self.files)
        self.variables = {"HF_ENDPOINT": self.hub.address, "HF_HUB_CACHE": str(self.cache), "HOME": str(self.folder)}

    def environment(self):
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("HF_", "HUGGINGFACE", "TRANSFORMERS", "XDG_", "SSL_", "CURL_"))}
        return {**kept, **self.variables}

    def start(self, *arguments, **options):
        run = subprocess.Popen([PROGRAM, "get", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=self.environment(), **options)
        self.addCleanup(lambda: (run.kill(), run.communicate()))
        return run

    def get(self, *arguments, status=0):
        run = subprocess.run([PROGRAM, "get", *(arguments or [NAME])], capture_output=True, text=True,
                             env=self.environment(), timeout=PATIENCE)
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertNotIn(TOKEN, run.stdout + run.stderr)
        return run

    def refused(self, *arguments, status=1):
        """The error message, exactly one line; nothing is on standard output."""
        run = self.get(*arguments, status=status)
        self.assertEqual(run.stdout, "")
        lines = run.stderr.splitlines()
        self.assertTrue(all(line.startswith("headlight: ") for line in lines), run.stderr)
        return lines[-1]

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f"never: {what}")
            time.sleep(0.01)


class Get(HubTest):
    @classmethod
    def setUpClass(cls):
        cls.files = model_files()

    def repository_folder(self, name=NAME):
        return self.cache / ("models--" + name.replace("/", "--"))

    def blob(self, path=WEIGHTS):
        return self.repository_folder() / "blobs" / self.repository.etag(path)

    def partial(self):
        return self.blob().with_name(self.blob().name + ".headlight.incomplete")

    def expect_whole(self, name=NAME, paths=("config.json", "preprocessor_config.json", WEIGHTS), revision="main"):
        repository = self.hub.repositories[name]
        for path in paths:
            found = find_in_cache(self.cache, name, path, revision)
            self.assertIsNotNone(found, path)
            self.assertEqual(found.read_bytes(), repository.files[path], path)
        self.assertEqual(list(self.cache.rglob("*.incomplete")), [])
        self.assertEqual(list(self.cache.rglob("*.part*")), [])

    def expect_nothing_whole(self, path=WEIGHTS):
        """Neither Headlight's next start nor another program takes the unfinished files for the
        model."""
        self.assertIsNone(find_in_cache(self.cache, NAME, path))
        if self.blob(path).exists():
            self.assertEqual(self.blob(path).read_bytes(), self.repository.files[path])

    # --- success ---

    def test_a_model_lands_in_the_cache_as_documented(self):
        run = self.get()
        snapshot = self.repository_folder() / "snapshots" / self.repository.commit
        self.assertEqual(run.stdout, f"{snapshot}\n")
        self.expect_whole()
        self.assertEqual((self.repository_folder() / "refs" / "main").read_text(), self.repository.commit)
        for path in ("config.json", WEIGHTS):
            self.assertEqual(os.readlink(snapshot / path), f"../../blobs/{self.repository.etag(path)}")
        self.assertEqual(sorted(p.name for p in (self.repository_folder() / "blobs").iterdir()),
                         sorted(self.repository.etag(p) for p in ("config.json", "preprocessor_config.json", WEIGHTS)))
        self.assertFalse((snapshot / "README.md").exists())

    def test_it_says_what_the_model_is_before_the_download(self):
        run = self.get()
        size = f"{len(self.files[WEIGHTS]) / 1e6:.0f} MB"
        self.assertEqual(run.stderr, f"headlight: {NAME}: ViT-Ti/16, 10 classes, {size}, Apache 2.0\n")
        parts = [r.range for r in self.hub.of("cdn")]
        self.assertEqual(parts[0], "bytes=0-100000")
        self.assertEqual(len(parts), 2)

    def test_what_is_fetched_can_be_opened(self):
        folder = self.get().stdout.strip()
        info = subprocess.run([PROGRAM, "info", folder], capture_output=True, text=True, env=self.environment())
        self.assertEqual(info.returncode, 0, info.stderr)
        self.assertRegex(info.stdout, r"heads +3")

    def test_the_license_comes_from_the_card_where_the_api_does_not_say_it(self):
        self.hub.knows_models = False
        self.assertTrue(self.get().stderr.endswith(", MIT\n"))

    def test_only_the_headers_are_needed_of_the_api(self):
        self.hub.knows_models = self.hub.lists_files = False
        del self.repository.files["README.md"]
        self.assertIn("license not stated", self.get().stderr)
        self.expect_whole()

    def test_what_is_there_is_not_fetched_again(self):
        first = self.get()
        self.hub.requests.clear()
        self.assertEqual(self.get().stdout, first.stdout)
        self.assertEqual(self.hub.of("cdn"), [])

    def test_a_cache_of_huggingface_hub_is_used(self):
        write_to_cache(self.cache, NAME, self.repository, ["config.json", "preprocessor_config.json", WEIGHTS])
        before = sorted(self.cache.rglob("*"))
        self.get()
        self.assertEqual(self.hub.of("cdn"), [])
        self.assertEqual(sorted(self.cache.rglob("*")), before)
        self.expect_whole()

    def test_what_a_cache_lacks_is_fetched_into_it(self):
        write_to_cache(self.cache, NAME, self.repository, ["config.json", "README.md"])
        self.get()
        self.expect_whole(paths=("config.json", "README.md", WEIGHTS))

    def test_a_blob_that_is_cut_off_is_fetched_again(self):
        write_to_cache(self.cache, NAME, self.repository, ["config.json", "preprocessor_config.json", WEIGHTS])
        self.blob().write_bytes(self.files[WEIGHTS][:1000])
        self.get()
        self.expect_whole()

    def test_a_newer_commit_gets_a_snapshot_of_its_own(self):
        first = self.get().stdout.strip()
        self.repository.files["config.json"] = b'{"num_heads": 6}'
        self.repository.commit = server.git_sha1(b"second")
        self.repository.revisions[-1] = self.repository.commit
        self.hub.requests.clear()
        second = self.get().stdout.strip()
        self.assertNotEqual(first, second)
        self.assertEqual(self.hub.of("cdn"), [])  # the weights are the same blob
        self.expect_whole()
        self.assertTrue((pathlib.Path(first) / WEIGHTS).is_file())

    def test_revisions(self):
        self.repository.revisions += ["v1.0", "refs/pr/7"]
        for revision in ("v1.0", "refs/pr/7", self.repository.commit):
            self.get(f"{NAME}@{revision}")
            self.expect_whole(revision=revision)
        refs = self.repository_folder() / "refs"
        self.assertEqual(sorted(str(p.relative_to(refs)) for p in refs.rglob("*") if p.is_file()), ["refs/pr/7", "v1.0"])

    def test_single_files(self):
        self.repository.files["onnx/model.bin"] = b"onnx" * 1000
        run = self.get(NAME, "--file", "README.md", "--file", "onnx/model.bin")
        self.expect_whole(paths=("README.md", "onnx/model.bin"))
        self.assertEqual(os.readlink(pathlib.Path(run.stdout.strip()) / "onnx" / "model.bin"),
                         f"../../../blobs/{self.repository.etag('onnx/model.bin')}")
        self.assertIsNone(find_in_cache(self.cache, NAME, WEIGHTS))

    def shard(self, parts=3):
        data = self.repository.files.pop(WEIGHTS)
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + length])
        body = data[8 + length:]
        names = [f"model-{i + 1:05}-of-{parts:05}.safetensors" for i in range(parts)]
        where = {}
        for i, shard in enumerate(names):
            inside, end, chunks = {}, 0, []
            for tensor, entry in list(header.items())[i::parts]:
                begin, stop = entry["data_offsets"]
                inside[tensor] = {**entry, "data_offsets": [end, end + stop - begin]}
                chunks.append(body[begin:stop])
                end += stop - begin
                where[tensor] = shard
            text = json.dumps(inside).encode()
            self.repository.files[shard] = struct.pack("<Q", len(text)) + text + b"".join(chunks)
        self.repository.files["model.safetensors.index.json"] = json.dumps({"weight_map": where}).encode()
        return names

    def test_shards(self):
        names = self.shard()
        run = self.get()
        self.assertIn("ViT-Ti/16, 10 classes", run.stderr)
        self.expect_whole(paths=["config.json", "model.safetensors.index.json", *names])
        info = subprocess.run([PROGRAM, "info", run.stdout.strip()], capture_output=True, text=True)
        self.assertEqual(info.returncode, 0, info.stderr)

    def test_weights_under_another_name(self):
        self.repository.files["dino_small.safetensors"] = self.repository.files.pop(WEIGHTS)
        self.get()
        self.expect_whole(paths=("config.json", "dino_small.safetensors"))

    def test_the_list(self):
        lines = self.get("--list").stdout.splitlines()
        self.assertGreater(len(lines), 6)
        self.assertTrue(all(re.fullmatch(r"\S+/\S+ .* (MB|GB) .*\w", line) for line in lines), lines)
        self.assertEqual(self.hub.requests, [])

    # --- refused before the download ---

    def test_another_kind_of_model_is_refused_before_the_download(self):
        self.repository.files[WEIGHTS] = safetensors({
            "bert.embeddings.word_embeddings.weight": [30522, 64],
            **{f"bert.encoder.layer.{i}.attention.self.query.weight": [64, 64] for i in range(4)}})
        self.repository.files["config.json"] = b'{"model_type": "bert"}'
        self.assertIn("does not read this model", self.refused())
        self.assertLess(sum(r.sent for r in self.hub.of("cdn")), 400_000)
        self.expect_nothing_whole()
        self.get(NAME, "--file", WEIGHTS)
        self.expect_whole(paths=[WEIGHTS])

    def test_a_long_header_is_read_whole(self):
        self.repository.files[WEIGHTS] = safetensors(dict(vit_file.shapes(48, 90, 96, 16, 14, 10)))
        self.assertGreater(struct.unpack("<Q", self.repository.files[WEIGHTS][:8])[0], 100_000)
        self.assertIn("90 layers × 3 heads", self.get().stderr)

    def test_a_header_that_is_none_is_refused(self):
        for data in (b"<html>" * 1000, struct.pack("<Q", 1 << 40) + bytes(1000), b"", b"\x08"):
            with self.subTest(data[:8]):
                self.repository.files[WEIGHTS] = data
                self.refused()
                self.expect_nothing_whole()

    def test_a_model_without_safetensors_says_what_there_is(self):
        self.repository.files["pytorch_model.bin"] = self.repository.files.pop(WEIGHTS)
        said = self.refused()
        self.assertIn("pytorch_model.bin", said)
        self.assertIn("--file", said)

    def test_several_files_of_weights_are_a_choice(self):
        weights = self.repository.files.pop(WEIGHTS)
        self.repository.files.update({"small.safetensors": weights, "large.safetensors": weights})
        self.assertRegex(self.refused(), "2: small.safetensors, large.safetensors.*--file")

    def test_a_disk_without_room_is_said_before_the_download(self):
        self.repository.files["model.safetensors.index.json"] = json.dumps(
            {"weight_map": {f"t{i}": f"model-{i:05}-of-00900.safetensors" for i in range(1, 901)}}).encode()
        del self.repository.files[WEIGHTS]
        for i in range(1, 901):
            path = f"model-{i:05}-of-00900.safetensors"
            self.repository.files[path] = b""
            self.repository.head[path] = {"X-Linked-Size": str(60 << 30)}
        self.assertRegex(self.refused(), "needs 58 TB, but .* left. Free some space, or set HF_HUB_CACHE")
        self.assertEqual(self.hub.of("cdn"), [])

    # --- the token ---

    def expect_token_at_hub_only(self, token):
        self.assertTrue(self.hub.of("hub") and self.hub.of("cdn"))
        self.assertEqual({r.token for r in self.hub.of("hub")}, {f"Bearer {token}" if token else None})
        self.assertEqual({r.token for r in self.hub.of("cdn")}, {None})
        for request in self.hub.of("cdn"):
            self.assertNotIn(TOKEN, str(request.headers) + request.path)

    def test_the_token_goes_to_the_hub_alone(self):
        places = self.folder / "elsewhere", self.folder / "home"
        for place in places:
            place.mkdir()
        (places[0] / "secret").write_text(TOKEN + "\n")
        (places[1] / "token").write_text(TOKEN)
        home = self.folder / ".cache" / "huggingface"
        home.mkdir(parents=True)
        for variables in ({"HF_TOKEN": TOKEN}, {"HF_TOKEN_PATH": str(places[0] / "secret")},
                          {"HF_HOME": str(places[1])}, {"HF_TOKEN": TOKEN, "HF_TOKEN_PATH": "/nothing"}):
            with self.subTest(list(variables)):
                before = dict(self.variables)
                self.variables.update(variables)
                shutil.rmtree(self.cache, ignore_errors=True)
                self.hub.requests.clear()
                self.get()
                self.expect_token_at_hub_only(TOKEN)
                self.variables = before
        (home / "token").write_text(TOKEN)
        shutil.rmtree(self.cache)
        self.hub.requests.clear()
        self.get()
        self.expect_token_at_hub_only(TOKEN)

    def test_what_is_no_token_is_neither_sent_nor_said(self):
        for bad in ("hf_abc\r\nX-Evil: 1", "hf_", "secret", "hf_abc def", "hf_abc-def", "Bearer hf_abc", "hf_ä"):
            with self.subTest(bad):
                self.variables["HF_TOKEN"] = bad
                shutil.rmtree(self.cache, ignore_errors=True)
                self.hub.requests.clear()
                run = self.get()
                self.expect_token_at_hub_only(None)
                self.assertIn("HF_TOKEN", run.stderr)
                if bad != "hf_":
                    self.assertNotIn(bad, run.stderr)
                self.assertFalse(any("X-Evil" in r.headers for r in self.hub.requests))

    def test_another_name_or_port_of_this_machine_gets_no_token(self):
        self.variables["HF_TOKEN"] = TOKEN
        hub, cdn = self.hub.hub.server_port, self.hub.cdn.server_port
        signed = self.hub.sign(NAME, WEIGHTS).split("/", 3)[3]
        for place in (f"http://127.0.0.1:{cdn}/{signed}", f"http://localhost:{cdn}/{signed}",
                      f"http://localhost:{hub}/{signed}"):
            with self.subTest(place):
                self.hub.requests.clear()
                self.hub.faults.location = place
                shutil.rmtree(self.cache, ignore_errors=True)
                self.get(status=1 if f":{hub}/" in place else 0)
                elsewhere = [r for r in self.hub.requests if "Signature" in r.path]
                self.assertTrue(elsewhere)
                self.assertEqual({r.token for r in elsewhere}, {None})

    # --- errors during the download ---

    def test_a_connection_that_closes_in_the_middle_is_taken_up_again(self):
        self.hub.faults.closings, self.hub.faults.closes_after = 6, 3 << 20
        self.get()
        self.expect_whole()
        begins = [int(r.range.removeprefix("bytes=").rstrip("-")) for r in self.hub.of("cdn")[2:]]
        self.assertEqual(begins, [(3 << 20) * (i + 1) for i in range(6)])

    def test_a_signed_address_that_expires_is_asked_for_again(self):
        self.hub.faults.closings, self.hub.faults.closes_after = 3, 3 << 20
        self.hub.faults.uses = 1
        self.hub.faults.statuses = [None, 403]
        self.get()
        self.expect_whole()
        self.assertEqual(len({r.path for r in self.hub.of("cdn")}), len(self.hub.of("cdn")))

    def test_a_server_that_is_busy_for_a_moment_is_asked_again(self):
        self.hub.faults.statuses = [None, 503, 500, 403]
        self.get()
        self.expect_whole()

    def test_a_server_that_stays_busy_is_an_error(self):
        self.hub.faults.statuses = [None] + [503] * 100
        self.assertRegex(self.refused(), "503")
        self.expect_nothing_whole()

    def test_a_server_without_ranges(self):
        self.hub.faults.closings, self.hub.faults.closes_after = 2, 3 << 20
        self.hub.faults.ranges = False
        self.get()
        self.expect_whole()

    def test_a_part_from_elsewhere_is_refused(self):
        self.get(NAME, "--file", "config.json")
        self.partial().parent.mkdir(parents=True, exist_ok=True)
        self.partial().write_bytes(self.files[WEIGHTS][:1 << 20])
        self.hub.faults.shift = 4
        self.assertIn("a different part", self.refused(NAME, "--file", WEIGHTS))
        self.expect_nothing_whole()
        self.hub.faults.shift = 0
        self.get()
        self.expect_whole()

    def test_wrong_content_is_not_kept(self):
        good = self.files[WEIGHTS]
        header = 8 + struct.unpack("<Q", good[:8])[0]
        for content in (good[:-1] + bytes([good[-1] ^ 1]), good[:header] + bytes(len(good) - header), good + b"x"):
            with self.subTest(len(content)):
                self.hub.faults.content = content
                self.assertIn("Try again", self.refused())
                self.expect_nothing_whole()
                self.assertFalse(self.blob().exists())
        self.hub.faults.content = None
        self.get()
        self.expect_whole()

    def test_a_file_that_is_announced_and_sent_too_short(self):
        self.hub.faults.cuts_to = 0
        self.assertRegex(self.refused(), "arrived|answer|broke")
        self.expect_nothing_whole()
        shutil.rmtree(self.cache)
        self.hub.faults.cuts_to = 200_000  # each answer a little: that ends well
        self.repository.files[WEIGHTS] = safetensors(dict(vit_file.shapes(96, 2, 192, 16, 14, 10)))
        self.get()
        self.expect_whole()

    def test_a_slow_server_is_waited_for(self):
        self.repository.files[WEIGHTS] = safetensors(dict(vit_file.shapes(96, 2, 192, 16, 14, 10)))
        self.hub.faults.pause, self.hub.faults.piece = 0.1, 1 << 15
        self.get()
        self.expect_whole()

    def test_a_damaged_beginning_is_fetched_anew(self):
        self.partial().parent.mkdir(parents=True)
        self.partial().write_bytes(b"damaged" * 100_000)
        self.get()
        self.expect_whole()

    def test_a_beginning_that_is_too_long_is_fetched_anew(self):
        self.partial().parent.mkdir(parents=True)
        self.partial().write_bytes(bytes(len(self.files[WEIGHTS]) + 1))
        self.get()
        self.expect_whole()

    def test_all_bytes_are_there_and_only_the_name_is_missing(self):
        self.partial().parent.mkdir(parents=True)
        self.partial().write_bytes(self.files[WEIGHTS])
        self.get()
        self.expect_whole()
        self.assertEqual([r.range for r in self.hub.of("cdn")], ["bytes=0-100000"])

    def test_nobody_answers(self):
        self.hub.close()
        self.assertIn("no connection", self.refused())

    def test_a_cache_that_cannot_be_written(self):
        self.cache.write_text("a file")
        self.assertIn(str(self.cache), self.refused())

    # --- errors from the Hub ---

    def test_errors_say_what_to_do(self):
        hub = self.hub
        hub.token = TOKEN
        for name in ("private", "gated", "busy", "down", "forbidden", "odd"):
            hub.repositories[f"ada/{name}"] = server.Repository(self.files)
        hub.repositories["ada/private"].private = True
        hub.repositories["ada/gated"].gated = True
        hub.repositories["ada/busy"].fail = (429, {"Retry-After": "37"})
        hub.repositories["ada/down"].fail = (503, {})
        hub.repositories["ada/forbidden"].fail = (403, {})
        hub.repositories["ada/odd"].fail = (418, {})
        for name, phrases in {
                "ada/nothing": ["no public model", "spelling", "HF_TOKEN"],
                "ada/private": ["no public model", "HF_TOKEN"],
                "ada/gated": ["gated", f"{hub.address}/ada/gated", "accept", "HF_TOKEN"],
                "ada/busy": ["429", "37 seconds"],
                "ada/down": ["503", "later"],
                "ada/forbidden": ["403", "HF_TOKEN"],
                "ada/odd": ["418"],
                f"{NAME}@v9": ["no revision", "v9"]}.items():
            with self.subTest(name):
                said = self.refused(name)
                for phrase in phrases:
                    self.assertIn(phrase, said)
        self.assertIn('no file "nothing.txt"', self.refused(NAME, "--file", "nothing.txt"))

    def test_errors_with_a_token(self):
        self.variables["HF_TOKEN"] = TOKEN
        self.hub.token = "hf_another"
        self.repository.gated = True
        self.assertIn("token of that account", self.refused())
        self.repository.gated, self.repository.private = False, True
        self.assertIn("check that your token may read it", self.refused())
        self.hub.token = TOKEN
        self.get()
        self.repository.gated = True
        self.get()

    def test_a_renamed_repository_is_followed_and_said(self):
        self.hub.repositories["old/name"] = server.Repository({})
        self.hub.repositories["old/name"].renamed_to = NAME
        run = self.get("old/name")
        self.assertIn(f"old/name is called {NAME}", run.stderr)
        self.assertIn("models--old--name", run.stdout)
        self.assertEqual(find_in_cache(self.cache, "old/name", WEIGHTS).read_bytes(), self.files[WEIGHTS])

    def test_redirects_without_an_end(self):
        self.repository.renamed_to = NAME
        self.assertIn("keeps redirecting", self.refused())

    # --- malicious responses and arguments ---

    def test_names_that_are_none(self):
        for name in ("vit", "../../etc/passwd", "a/b/c", "/etc/passwd", "ada/..", "../ada", "ada/vit@../../x", "ada/vit@",
                     "ada/v it", "ada\\vit", "ada/vit\n", "-x/y", "ada/" + "x" * 300, "", "https://example.org/x"):
            with self.subTest(name):
                self.refused("--", name, status=2)
        for path in ("../x", "/etc/passwd", "a/../../b", "", "a//b", "x" * 300):
            with self.subTest(path):
                self.refused(NAME, f"--file={path}", status=2)
        self.assertEqual(self.hub.requests, [])
        self.assertFalse(self.cache.exists())

    def test_hostile_hashes_sizes_and_commits(self):
        outside = self.folder / "evil"
        for headers in ({"X-Linked-Etag": '"../../../evil"'}, {"X-Linked-Etag": '"' + "g" * 64 + '"'},
                        {"X-Linked-Etag": '"abc"'}, {"X-Linked-Etag": None, "ETag": '"x"'},
                        {"X-Linked-Size": "-1"}, {"X-Linked-Size": "99999999999999999999"}, {"X-Linked-Size": "1e3"},
                        {"X-Linked-Size": str(1 << 50)}, {"X-Linked-Size": None},
                        {"X-Repo-Commit": "../../evil"}, {"X-Repo-Commit": "f" * 39}, {"X-Repo-Commit": "e" * 40}):
            with self.subTest(headers):
                self.repository.head[WEIGHTS] = headers
                self.refused()
                self.assertEqual(self.hub.of("cdn"), [])
                self.assertFalse(outside.exists())
                self.expect_nothing_whole()

    def test_hostile_shards_and_lists(self):
        index = "model.safetensors.index.json"
        del self.repository.files[WEIGHTS]
        for shard in ("../../evil.safetensors", "/tmp/evil.safetensors", "a/../../b.safetensors", "x" * 300):
            with self.subTest(shard):
                self.repository.files[index] = json.dumps({"weight_map": {"a": shard}}).encode()
                self.refused()
                self.assertFalse(any("evil" in r.path or "/b." in r.path or "xxx" in r.path for r in self.hub.requests))
        del self.repository.files[index]
        self.repository.files["../../evil.safetensors"] = b"x"
        self.refused()
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["cache"])

    def test_hostile_redirects(self):
        for place in ("http://example.org/x", "file:///etc/passwd", "ftp://localhost/x", "gopher://localhost/",
                      "https://user:password@localhost/x", "http://", "javascript:alert(1)", "http://local host/"):
            with self.subTest(place):
                self.hub.faults.location = place
                self.refused()
                self.expect_nothing_whole()

    def test_endpoints_that_are_refused(self):
        for endpoint in ("http://example.org", "ftp://127.0.0.1", "huggingface.co", "file:///tmp", "https://u:p@example.org",
                         "http://127.0.0.1.example.org", "https://"):
            with self.subTest(endpoint):
                self.variables["HF_ENDPOINT"] = endpoint
                self.assertIn("HF_ENDPOINT", self.refused())
        self.variables["HF_ENDPOINT"] = self.hub.address + "/"
        self.get()

    def test_a_proxy_is_not_asked_for_this_machine(self):
        self.variables.update(http_proxy="http://127.0.0.1:9", ALL_PROXY="http://127.0.0.1:9")
        self.get()

    @unittest.skipUnless(shutil.which("openssl"), "needs the program openssl")
    @unittest.skipIf(sys.platform == "win32", "Windows has its own list of certificates")
    def test_certificates_can_be_named(self):
        """A server whose certificate is trusted only through the file in SSL_CERT_FILE."""
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        trusting = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Nothing)
        trusting.socket = context.wrap_socket(trusting.socket, server_side=True)
        threading.Thread(target=trusting.serve_forever, daemon=True).start()
        self.addCleanup(trusting.server_close)
        self.addCleanup(trusting.shutdown)
        self.variables["HF_ENDPOINT"] = f"https://127.0.0.1:{trusting.server_port}"
        self.assertIn("its certificate could not be verified", self.refused())
        for variable in "SSL_CERT_FILE", "CURL_CA_BUNDLE":
            self.variables[variable] = str(certificate)
            self.assertNotIn("certificate", self.refused())
            self.variables[variable] = str(self.folder / "none.pem")
            self.assertIn("certificate", self.refused())
            del self.variables[variable]

    # --- offline ---

    def test_offline(self):
        for variable, value in (("HF_HUB_OFFLINE", "1"), ("HF_HUB_OFFLINE", "yes"), ("TRANSFORMERS_OFFLINE", "TRUE")):
            with self.subTest(variable):
                self.variables[variable] = value
                self.assertIn("not in the cache", self.refused())
                del self.variables[variable]
        online = self.get()
        self.hub.requests.clear()
        self.variables["HF_HUB_OFFLINE"] = "ON"
        self.assertEqual(self.get().stdout, online.stdout)
        self.assertEqual(self.get(NAME, "--file", "config.json").stdout, online.stdout)
        self.refused(NAME, "--file", "nothing.json")
        self.refused(f"{NAME}@v2")
        self.assertEqual(self.hub.requests, [])

    # --- interrupted ---

    def test_ctrl_c_ends_it_and_the_next_run_goes_on(self):
        self.hub.faults.pause = 0.05
        run = self.start(NAME)
        self.until(lambda: self.partial().exists() and self.partial().stat().st_size > 0, "bytes arrive")
        run.send_signal(signal.SIGINT)
        out, error = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertEqual(out, "")
        self.assertIn("the same command", error)
        self.expect_nothing_whole()
        arrived = self.partial().stat().st_size
        self.hub.faults.pause = 0
        self.hub.requests.clear()
        self.get()
        self.expect_whole()
        self.assertEqual(self.hub.of("cdn")[-1].range, f"bytes={arrived}-")

    def test_kills_leave_nothing_that_is_taken_for_whole(self):
        draw = random.Random(33)
        self.hub.faults.pause, self.hub.faults.piece = 0.004, 1 << 18
        killed = 0
        for _ in range(20 * KILLS):
            if killed == KILLS:
                break
            run = self.start(NAME)
            time.sleep(draw.uniform(0, 0.35))
            run.kill()
            run.communicate()
            if run.returncode == 0:  # it was done before
                self.expect_whole()
                shutil.rmtree(self.cache)
                continue
            killed += 1
            for path in ("config.json", "preprocessor_config.json", WEIGHTS):
                self.expect_nothing_wrong(path)
            if draw.random() < 0.1:
                shutil.rmtree(self.cache, ignore_errors=True)
        self.assertEqual(killed, KILLS)
        self.get()
        self.expect_whole()

    def expect_nothing_wrong(self, path):
        """Every file with its final name is complete."""
        for place in (self.blob(path), find_in_cache(self.cache, NAME, path),
                      find_in_cache(self.cache, NAME, path, self.repository.commit)):
            if place is not None and place.exists():
                self.assertEqual(place.read_bytes(), self.repository.files[path], place)

    def test_two_downloads_of_one_file_do_not_meet(self):
        self.hub.faults.pause = 0.004
        runs = [self.start(NAME) for _ in range(3)]
        for run in runs:
            out, error = run.communicate(timeout=PATIENCE)
            self.assertEqual(run.returncode, 0, error)
            self.assertTrue(out.endswith(f"{self.repository.commit}\n"))
        self.expect_whole()
        self.assertEqual(len([r for r in self.hub.of("cdn") if r.range is None]), 1)

    # --- the terminal ---

    def test_progress_is_for_terminals(self):
        self.hub.faults.pause, self.hub.faults.piece = 0.05, 1 << 19
        here, there = pty.openpty()
        run = subprocess.Popen([PROGRAM, "get", NAME], stdout=subprocess.PIPE, stderr=there, env=self.environment())
        os.close(there)
        seen = b""
        while True:
            try:
                if not select.select([here], [], [], PATIENCE)[0]:
                    break
                piece = os.read(here, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        os.close(here)
        run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 0)
        self.assertRegex(seen.decode(), r"model.safetensors: [\d.]+ MB of 22 MB, [\d.]+ [kM]B/s, \d+ s left")
        self.assertTrue(seen.endswith(b"\x1b[K"))

    # --- disks ---

    def test_without_symbolic_links_the_files_themselves_lie_in_the_snapshot(self):
        compiler = shutil.which("cc") or shutil.which("c++")
        if compiler is None:
            self.skipTest("needs a C compiler")
        if b"__sanitizer" in pathlib.Path(PROGRAM).read_bytes():
            self.skipTest("sanitizers load no library before their own")
        library = self.folder / "no_links.so"
        source = self.folder / "no_links.c"
        source.write_text("#include <errno.h>\nint symlink(const char* a, const char* b) "
                          "{ (void)a; (void)b; errno = EPERM; return -1; }\n")
        subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", str(source), "-o", str(library)], check=True)
        self.variables["LD_PRELOAD"] = str(library)
        folder = pathlib.Path(self.get().stdout.strip())
        self.expect_whole()
        self.assertFalse((folder / WEIGHTS).is_symlink())
        self.hub.requests.clear()
        self.assertEqual(self.get().stdout.strip(), str(folder))
        self.assertEqual(self.hub.of("cdn"), [])
        info = subprocess.run([PROGRAM, "info", str(folder)], capture_output=True, text=True)
        self.assertEqual(info.returncode, 0, info.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
