#!/usr/bin/env python3
"""Models from the Hub in a page: headless Chromium, which finds huggingface.co and its servers of files on this machine
(tests/hub/server.py).

    python3 tests/web/test_hub.py [build/web]

Skipped (77) where ./dev web has not been run, or there is no Chromium or no openssl.
"""

import json
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from browser import Page, Server, find_chromium
from test_page import BUILT, SOURCE, Window, shards

sys.path[:0] = [str(SOURCE / "tests" / "hub"), str(SOURCE / "tests" / "ui")]
import server  # noqa: E402
import tower_file  # noqa: E402
import vit_file  # noqa: E402

NAME = "timm/vit_small_patch16_224.dino"  # the second of the list
WEIGHTS = "model.safetensors"
HOSTS = ("https://huggingface.co/", "https://us.aws.cdn.hf.co/")


def tls(folder):
    """For servers that prove no name; the browser is told to accept that."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=huggingface.co",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


class FromTheHub(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.hub = server.Hub(tls(Path(folder)))
            path = vit_file.write_vit(Path(folder) / "m", 192, 4, 3, classes=10)
            cls.files = {"config.json": (path.parent / "config.json").read_bytes(), WEIGHTS: path.read_bytes()}
        cls.server = Server(BUILT)
        rules = ", ".join(f"MAP {name} 127.0.0.1:{port}" for name, port in (
            ("huggingface.co", cls.hub.hub.server_port), ("*.hf.co", cls.hub.cdn.server_port)))
        cls.page = Page(arguments=(f"--host-resolver-rules={rules}", "--ignore-certificate-errors"))
        cls.window = Window(cls.page, cls.server.address)

    @classmethod
    def tearDownClass(cls):
        cls.page.__exit__()
        cls.server.stop()
        cls.hub.close()

    def setUp(self):
        self.hub.faults = server.Faults()
        self.hub.cors = {"hub", "cdn"}
        self.repository = server.Repository(self.files)
        self.hub.repositories = {NAME: self.repository}
        self.page.run("caches.delete('headlight-models').then(() => true)")
        self.start()
        self.hub.requests.clear()

    def start(self):
        """The page as on the first visit."""
        self.window.forget()
        self.window.open(self.server.address)
        self.window.wait("busy", "no")

    def open_panel(self):
        self.page.key("m", text="m")
        self.window.wait("model.get", "idle")

    def wait_for(self, phase, seconds=60):
        """For what the panel says of the model; returns the report."""
        end = time.monotonic() + seconds
        while (reports := self.window.report())["model.get"] != phase:
            self.assertLess(time.monotonic(), end, f"{phase}: {reports['model.get']}, {reports['model.get.error']}, "
                            f"{reports['model.get.progress']}")
            time.sleep(0.1)
        return reports

    def look_up(self, phase="found"):
        self.open_panel()
        self.window.tap("model.get.2")
        return self.wait_for(phase)

    def fetch(self, phase="fetched", seconds=60):
        self.window.tap("model.get.fetch")
        return self.wait_for(phase, seconds)

    def whole(self):
        """The requests for the whole file, or for its rest."""
        return [r for r in self.hub.of("cdn") if not r.range or r.range.endswith("-")]

    def wait_for_model(self, path, seconds=60):
        end = time.monotonic() + seconds
        while not self.window.report()["field.weights"].endswith(path):
            reports = self.window.report()
            self.assertLess(time.monotonic(), end, f"{reports['field.weights']}, {reports['model.get']}, {reports['notice']}")
            time.sleep(0.1)
        self.window.wait("busy", "no")

    def expect_phrases(self, said, *phrases):
        for phrase in phrases:
            self.assertIn(phrase, said)
        self.assertNotIn("HF_", said)

    # --- models that arrive ---

    def test_a_model_in_two_clicks(self):
        self.open_panel()
        self.assertEqual(self.hub.requests, [])  # nothing is asked before a click
        self.window.tap("model.get.2")
        facts = self.wait_for("found")["model.get.facts"]
        self.assertRegex(facts, r"^ViT, 4 layers × 3 heads, .*10 classes, 7.9 MB, Apache 2.0$")
        self.assertEqual(self.whole(), [])
        self.assertTrue(self.hub.of("cdn"))  # the header
        self.window.tap("model.get.fetch")
        self.wait_for_model(f"models--timm--vit_small_patch16_224.dino/snapshots/{server.COMMIT}/{WEIGHTS}")
        reports = self.window.report()
        self.assertEqual(reports["notice"], "")
        self.assertEqual(reports["top.model"], "vit_small_patch16_224.dino · timm · 4 layers × 3 heads")
        self.assertIn("class", reports["look.answer"])
        self.assertEqual(len(self.whole()), 1)
        for request in self.hub.requests:
            self.assertEqual(request.method, "GET")
            for header in ("Authorization", "Cookie", "Referer"):
                self.assertNotIn(header, request.headers)
        foreign = [url for url in self.page.requests if url.startswith("http") and not url.startswith(self.server.address)]
        self.assertTrue(all(url.startswith(HOSTS) and "//" not in url[8:] for url in foreign), foreign)

    def test_the_next_visit_does_not_download_it_again(self):
        self.look_up()
        self.fetch()
        self.page.wait("caches.open('headlight-models').then((cache) => cache.keys()).then((keys) => keys.length)")
        self.start()
        self.hub.requests.clear()
        self.look_up()
        self.fetch()
        self.wait_for_model(WEIGHTS)
        self.assertEqual(self.whole(), [])

    def wait_for_kept(self):
        """Until the browser has kept the model, its list of files, and a session that names it."""
        self.page.wait("caches.open('headlight-models').then((cache) => cache.keys()).then((keys) => keys.length == 2)")
        self.page.wait("localStorage.getItem('headlight-session').includes('models--timm')")

    def visit_again(self, address=None):
        """Unlike start(), with the session of the last visit. Nothing may ask the Hub."""
        self.hub.requests.clear()
        self.window.open(address or self.server.address)
        self.window.wait("busy", "no")
        self.assertEqual(self.hub.requests, [])
        return self.window.report()

    def test_a_reload_opens_it_again(self):
        self.look_up()
        self.fetch()
        self.wait_for_model(WEIGHTS)
        self.wait_for_kept()
        before = self.window.report()
        after = self.visit_again()
        for name in ("field.weights", "top.model", "look.answer"):
            self.assertEqual(after[name], before[name])
        self.assertEqual(after["notice"], "")
        self.visit_again()  # and what was restored is kept as well
        self.assertEqual(self.window.report()["field.weights"], before["field.weights"])

    def test_a_reload_opens_shards_again(self):
        self.repository.files = {"config.json": self.files["config.json"], **dict(shards(self.files[WEIGHTS]))}
        self.look_up()
        self.fetch()
        self.wait_for_model(WEIGHTS + ".index.json")
        self.wait_for_kept()  # one shard and, with the list, the other, which is small
        self.assertTrue(self.visit_again()["field.weights"].endswith(WEIGHTS + ".index.json"))

    def test_a_model_that_is_no_longer_kept_is_said(self):
        self.look_up()
        self.fetch()
        self.wait_for_model(WEIGHTS)
        self.wait_for_kept()
        for damage in (f"cache.put('hub/{self.repository.etag(WEIGHTS)}', new Response(new Uint8Array(9)))",
                       f"cache.delete('hub/{self.repository.etag(WEIGHTS)}')"):
            with self.subTest(damage):
                self.page.run("self.session = localStorage.getItem('headlight-session')")
                session = self.page.run("session")
                self.page.run(f"caches.open('headlight-models').then((cache) => {damage}).then(() => true)")
                reports = self.visit_again()
                self.assertEqual(reports["field.weights"], "")
                self.expect_phrases(reports["notice"], NAME, "press M", "Get this model")
                self.window.forget()
                self.page.run(f"localStorage['headlight-session'] = {json.dumps(session)}")

    def test_what_was_kept_and_damaged_is_downloaded_again(self):
        etag = self.repository.etag(WEIGHTS)
        self.page.run(f"caches.open('headlight-models').then((cache) => cache.put('hub/{etag}', "
                      f"new Response(new Uint8Array({len(self.files[WEIGHTS])})))).then(() => true)")
        self.look_up()
        self.fetch()
        self.assertEqual(len(self.whole()), 1)

    def test_a_model_by_its_name(self):
        self.hub.repositories["ada/vit"] = self.repository
        self.open_panel()
        self.window.tap("model.get.name")
        for letter in "ada/vit":
            self.page.key(letter, text=letter)
        self.page.key("Enter", text="\r")
        self.wait_for("found")
        self.fetch()
        self.wait_for_model(f"models--ada--vit/snapshots/{server.COMMIT}/{WEIGHTS}")

    def test_a_renamed_model(self):
        self.hub.repositories["ada/vit"] = self.repository
        self.hub.repositories[NAME] = server.Repository({})
        self.hub.repositories[NAME].renamed_to = "ada/vit"
        self.look_up()
        self.fetch()
        self.wait_for_model(WEIGHTS)

    def test_shards(self):
        self.repository.files = {"config.json": self.files["config.json"], **dict(shards(self.files[WEIGHTS]))}
        self.look_up()
        self.fetch()
        self.wait_for_model(WEIGHTS + ".index.json")

    def test_a_vision_tower_alone(self):
        family = tower_file.FAMILIES / "clip_huggingface.config.json"
        self.repository.files = {"config.json": family.read_bytes(), WEIGHTS: tower_file.with_text("clip_huggingface")}
        facts = self.look_up()["model.get.facts"]
        self.assertRegex(facts, r"CLIP ViT.*, only its vision tower: .* of 123 MB")
        self.fetch()
        self.wait_for_model("vit_small_patch16_224.dino-vision.safetensors")
        self.assertLess(sum(r.sent for r in self.hub.of("cdn")), 2_000_000)
        path = self.window.report()["field.weights"]
        self.assertEqual(self.page.run(f"FS.stat('{path}').size"), self.page.run(f"FS.readFile('{path}').length"))

    def test_rate_and_cancel(self):
        self.look_up()
        self.hub.faults.pause, self.hub.faults.piece = 0.2, 1 << 17
        self.window.tap("model.get.fetch")
        end = time.monotonic() + 60
        while not re.match(r"model.safetensors: .* of 7.9 MB, .*/s, .* s left$", self.window.report()["model.get.progress"]):
            self.assertLess(time.monotonic(), end, "neither rate nor remaining time")
            time.sleep(0.1)
        self.window.tap("model.get.cancel")
        self.wait_for("found")
        first = self.whole()[0]
        time.sleep(1)  # the browser closes the connection
        sent = first.sent
        time.sleep(1)
        self.assertEqual(first.sent, sent)
        self.assertLess(sent, len(self.files[WEIGHTS]))
        self.assertIn("/models/scenes/", self.window.report()["field.weights"])
        self.hub.faults.pause = 0
        self.fetch()
        self.wait_for_model(WEIGHTS)
        self.assertGreater(int(self.whole()[-1].range.removeprefix("bytes=").rstrip("-")), 0)  # it went on from there

    def test_a_connection_that_closes_in_the_middle_is_taken_up_again(self):
        self.hub.faults.closings, self.hub.faults.closes_after = 2, 1 << 20
        self.look_up()
        self.fetch()
        self.assertEqual([r.range for r in self.whole()][0], None)
        self.assertEqual(len(self.whole()), 3)

    def test_a_server_without_ranges(self):
        self.hub.faults.ranges = False
        self.look_up()
        self.hub.faults.closings, self.hub.faults.closes_after = 1, 1 << 20
        self.fetch()
        self.wait_for_model(WEIGHTS)

    # --- what goes wrong ---

    def test_errors_say_what_to_do(self):
        def gated(repository):
            repository.gated = True

        def failing(status, **headers):
            def fail(repository):
                repository.fail = status, headers
            return fail

        cases = (((lambda repository: self.hub.repositories.clear()), ("no public model", "spelling")),
                 (gated, ("gated", f"https://huggingface.co/{NAME}", "accept", "drop them onto this page")),
                 (failing(429), ("429", "a few minutes")), (failing(503), ("503", "later")), (failing(403), ("403",)),
                 (failing(418), ("418",)))
        self.open_panel()
        for change, phrases in cases:
            with self.subTest(phrases):
                self.hub.repositories[NAME] = server.Repository(self.files)
                change(self.hub.repositories[NAME])
                self.window.tap("model.get.2")
                self.expect_phrases(self.wait_for("failed")["model.get.error"], *phrases)
                self.hub.repositories[NAME] = server.Repository(self.files)
                self.window.tap("model.get.again")
                self.wait_for("found")

    def test_another_kind_of_model_is_refused_before_the_download(self):
        text = json.dumps({"wte.weight": {"dtype": "F32", "shape": [1000, 64], "data_offsets": [0, 256000]}}).encode()
        self.repository.files = {WEIGHTS: len(text).to_bytes(8, "little") + text + bytes(256000)}
        error = self.look_up("failed")["model.get.error"]
        self.assertIn(f"{NAME}/{WEIGHTS}", error)
        self.assertEqual(self.whole(), [])

    def test_a_file_too_large_for_a_page(self):
        self.repository.sizes[WEIGHTS] = 3_000_000_000
        self.assertEqual(self.look_up("failed")["model.get.error"], f"{NAME}, {WEIGHTS}: expected at most 2.1 GB, found 3.0 GB. "
                         "Use the desktop program for larger files.")
        self.assertEqual(self.hub.of("cdn"), [])

    def test_shards_too_large_for_a_page(self):
        self.repository.files = dict(shards(self.files[WEIGHTS]))
        self.repository.sizes = {path: 1_500_000_000 for path in self.repository.files if path.endswith(".safetensors")}
        self.expect_phrases(self.look_up("failed")["model.get.error"], "expected at most 2.1 GB, found 3.0 GB", "desktop program")

    def test_the_wrong_hash(self):
        self.look_up()
        self.hub.faults.content = bytes(len(self.files[WEIGHTS]))
        error = self.fetch("failed")["model.get.error"]
        self.expect_phrases(error, f"{NAME}, {WEIGHTS}", server.sha256(self.hub.faults.content)[:12],
                            self.repository.etag(WEIGHTS)[:12], "deleted")
        self.assertIn("/models/scenes/", self.window.report()["field.weights"])
        self.assertFalse(self.page.run("caches.open('headlight-models').then((cache) => cache.keys()).then((keys) => keys.length)"))
        self.hub.faults.content = None
        self.window.tap("model.get.again")
        self.wait_for("found")
        self.fetch()
        self.wait_for_model(WEIGHTS)

    def test_a_wrong_config(self):
        """Small files have the other kind of hash."""
        self.repository.etag = lambda path: "0" * 40
        described = server.Handler.described
        server.Handler.described = staticmethod(lambda repository, path: {**described(repository, path), "blobId": "0" * 40})
        try:
            self.expect_phrases(self.look_up("failed")["model.get.error"], "config.json", "hash", "000000000000")
        finally:
            server.Handler.described = staticmethod(described)

    def test_a_file_that_is_sent_too_short(self):
        self.look_up()
        size = len(self.files[WEIGHTS])
        self.hub.faults.cuts_to = 0
        error = self.fetch("failed", 120)["model.get.error"]
        self.expect_phrases(error, f"only 0 of {size} bytes arrived", "continues where it stopped")

    def test_a_connection_that_stays_broken(self):
        self.look_up()
        self.hub.faults.closings, self.hub.faults.closes_after = 100, 0
        self.expect_phrases(self.fetch("failed", 120)["model.get.error"], "huggingface.co")

    def test_a_part_from_elsewhere(self):
        self.hub.faults.shift = 1
        self.expect_phrases(self.look_up("failed")["model.get.error"], "different part of the file")

    def test_a_server_that_does_not_let_pages_read(self):
        self.open_panel()
        for readable in (set(), {"hub"}, {"cdn"}):
            with self.subTest(readable):
                self.hub.cors = readable
                self.window.tap("model.get.2")
                self.expect_phrases(self.wait_for("failed")["model.get.error"], "huggingface.co: ", "CORS", "desktop program")
                self.hub.cors = {"hub", "cdn"}
                self.window.tap("model.get.again")
                self.wait_for("found")

    def test_no_network(self):
        self.open_panel()
        self.page.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        try:
            self.window.tap("model.get.2")
            self.assertEqual(self.wait_for("failed")["model.get.error"], "huggingface.co: no connection. Check the network.")
        finally:
            self.page.call("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        self.window.tap("model.get.again")
        self.wait_for("found")

    # --- nobody else decides what is asked for ---

    def test_links_start_no_download(self):
        self.page.run("navigator.clipboard.writeText = async (text) => { self.copied = text; }")
        self.look_up()
        self.window.tap("model.get.fetch")
        self.wait_for_model(WEIGHTS)
        self.wait_for_kept()
        self.page.key("Escape")
        self.window.wait("panel", "nothing")
        self.window.command("copy link")
        self.page.key("Enter", text="\r")
        self.page.wait("self.copied")
        link = self.page.run("copied")
        self.hub.requests.clear()
        self.window.forget()
        reports = self.visit_again(link)
        self.assertTrue(reports["field.weights"].endswith(WEIGHTS))  # it is kept here
        self.window.forget()
        self.page.run("caches.delete('headlight-models').then(() => true)")
        reports = self.visit_again(link)
        self.assertEqual(reports["field.weights"], "")
        self.expect_phrases(reports["notice"], NAME, "press M", "Get this model")
        for more in (f"?lesson=1&model={NAME}", f"?{NAME}", f"#{NAME}", "?lesson=" + NAME):
            self.window.open(self.server.address + more)
            self.window.wait("busy", "no")
        self.assertEqual(self.hub.requests, [])

    def test_the_page_may_ask_no_other_server(self):
        self.assertIn("connect-src 'self' blob: https://huggingface.co https://*.hf.co; ",
                      self.page.run("document.querySelector('meta[http-equiv=Content-Security-Policy]').content"))
        for address in ("https://example.org/", "https://hf.co/", "https://huggingface.co.example.org/",
                        "https://datasets.huggingface.co/", "http://huggingface.co/"):
            blocked = self.page.run(f"""new Promise((resolve) => {{
                document.addEventListener('securitypolicyviolation', (event) => resolve(event.blockedURI), {{once: true}});
                fetch('{address}').then(() => resolve('read'), () => setTimeout(() => resolve('failed'), 1000));
            }})""")
            self.assertEqual(blocked, address)


if __name__ == "__main__":
    if not (BUILT / "headlight.wasm").exists() or find_chromium() is None or not shutil.which("openssl"):
        print("skipped: needs ./dev web, Chromium and openssl")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
