"""`headlight get` of CLIP and SigLIP: only the vision tower's bytes are fetched, into a cache of Headlight's own."""

import hashlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time
import unittest

import test_get
from test_get import NAME, PROGRAM, WEIGHTS, HubTest
from tower_file import FAMILIES, TEXT, read, with_text

PART = "vit-vision.safetensors"


class Parts(HubTest):
    @classmethod
    def setUpClass(cls):
        cls.files = {WEIGHTS: with_text("clip_huggingface", 16),  # the part has 14 MB
                     "config.json": (FAMILIES / "clip_huggingface.config.json").read_bytes()}

    def part(self):
        folder = self.folder / ".cache/headlight/hub/models--ada--vit"
        return folder / "snapshots" / self.repository.commit / PART

    def partial(self):
        return self.part().parents[2] / "blobs" / (self.repository.etag(WEIGHTS) + "-vision.headlight.incomplete")

    def start_and_hold(self, least):
        """Starts a run that has written at least this many bytes and waits for the rest."""
        self.hub.faults.piece, self.hub.faults.sent, self.hub.faults.holds_after = 1 << 18, 0, least + 1_000_000
        run = self.start(NAME)
        self.until(lambda: self.partial().exists() and self.partial().stat().st_size > least, f"{least} bytes")
        return run

    def release(self):
        self.hub.faults.holds_after = None

    def expect_part(self):
        """The tower's tensors with their numbers, and nothing else."""
        header, metadata, body = read(self.part().read_bytes())
        whole, _, all_bytes = read(self.repository.files[WEIGHTS])
        self.assertFalse([name for name in header if name.startswith("text")])
        self.assertGreater(len(header), 20)
        for name, about in header.items():
            self.assertEqual(about["shape"], whole[name]["shape"], name)
            self.assertEqual(body[slice(*about["data_offsets"])], all_bytes[slice(*whole[name]["data_offsets"])], name)
        for said in (NAME, WEIGHTS, self.repository.commit, self.repository.etag(WEIGHTS)):
            self.assertIn(said, metadata["part_of"])
        # Other programs must not take it for the file.
        self.assertFalse((self.cache / "models--ada--vit" / "snapshots").exists())
        self.assertEqual(list(self.folder.rglob("*.incomplete")), [])

    def sent(self):
        return sum(request.sent for request in self.hub.of("cdn"))

    def info(self, *arguments, **variables):
        return subprocess.run([PROGRAM, "info", *map(str, arguments)], capture_output=True, text=True,
                              env={**self.environment(), **variables})

    def test_the_tower_alone_is_fetched_and_opened(self):
        run = self.get()
        self.assertRegex(run.stderr, r"CLIP ViT.*, only its vision tower: \d+ MB of \d+ MB, Apache 2.0\n$")
        self.assertEqual(run.stdout.strip(), str(self.part().parent))
        self.assertLess(self.sent(), len(self.repository.files[WEIGHTS]) - 100_000_000)
        self.expect_part()
        self.assertEqual(list(self.part().parents[2].joinpath("blobs").iterdir()), [])
        for name in (run.stdout.strip(), NAME, f"{NAME}@main", f"{NAME}@{self.repository.commit}"):
            said = self.info(name)
            self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.info(f"{NAME}@v9").returncode, 1)

    def test_it_computes_what_the_whole_file_computes(self):
        self.repository.files[WEIGHTS] = with_text("clip_huggingface")
        part = self.get().stdout.strip()
        whole = self.folder / "whole"
        whole.mkdir()
        for path, data in self.repository.files.items():
            (whole / path).write_bytes(data)
        traces = []
        for model in (part, whole):
            out = self.folder / f"{len(traces)}.safetensors"
            run = subprocess.run([PROGRAM, "trace", "--model", model, "--image", test_get.HERE.parents[1] / "assets/images/cat.jpg",
                                  "--out", out], capture_output=True, text=True, env=self.environment())
            self.assertEqual(run.returncode, 0, run.stderr)
            header, _, body = read(out.read_bytes())
            traces.append({name: body[slice(*about["data_offsets"])] for name, about in header.items()})
        self.assertEqual(traces[0], traces[1])

    def test_siglip(self):
        self.repository.files = {WEIGHTS: with_text("siglip"),
                                 "config.json": (FAMILIES / "siglip.config.json").read_bytes()}
        self.assertIn("SigLIP ViT", self.get().stderr)
        self.expect_part()
        self.assertEqual(self.info(NAME).returncode, 0)

    def test_what_is_there_is_not_fetched_again(self):
        first = self.get()
        self.hub.requests.clear()
        self.assertEqual(self.get().stdout, first.stdout)
        self.assertLess(self.sent(), 300_000)  # the header alone
        self.hub.requests.clear()
        self.variables["HF_HUB_OFFLINE"] = "1"
        self.assertEqual(self.get().stdout, first.stdout)
        self.assertEqual(self.hub.requests, [])

    def test_where_it_saves_little_the_whole_file_is_fetched(self):
        self.repository.files[WEIGHTS] = with_text("clip_huggingface", text={**TEXT, next(iter(TEXT)): [40000, 512]})
        self.assertNotIn("alone", self.get().stderr)
        self.assertFalse(self.part().exists())
        self.assertTrue(test_get.find_in_cache(self.cache, NAME, WEIGHTS))

    def test_the_whole_file_can_be_asked_for_and_then_is_used(self):
        self.get()
        self.get(NAME, "--file", WEIGHTS, "--file", "config.json")
        whole = test_get.find_in_cache(self.cache, NAME, WEIGHTS)
        self.assertEqual(whole.read_bytes(), self.repository.files[WEIGHTS])
        shutil.rmtree(self.part().parent)
        self.hub.requests.clear()
        self.assertNotIn("alone", self.get().stderr)
        self.assertLess(self.sent(), 300_000)
        self.assertEqual(self.info(NAME).returncode, 0)

    # --- errors ---

    def test_connections_that_break_and_addresses_that_expire(self):
        self.hub.faults.closings, self.hub.faults.closes_after = 6, 1 << 20
        self.hub.faults.uses = 1
        self.get()
        self.expect_part()

    def test_a_server_that_knows_no_ranges(self):
        self.hub.faults.ranges = False
        self.get()
        self.expect_part()

    def test_ranges_that_begin_elsewhere_are_refused(self):
        faults = self.hub.faults
        faults.closings, faults.closes_after, faults.stalls = 1, 1 << 20, True
        run = self.start(NAME)
        self.until(lambda: faults.closings == 0, "a connection that breaks")
        faults.shift, faults.stalls = 1, False
        said = run.communicate()[1]
        self.assertEqual(run.returncode, 1, said)
        self.assertIn("a different part", said)
        self.assertFalse(self.part().exists())
        faults.shift = 0
        self.get()
        self.expect_part()

    def test_the_next_run_goes_on(self):
        run = self.start_and_hold(9_000_000)  # two blocks
        run.send_signal(signal.SIGINT)
        run.communicate()
        self.assertEqual(run.returncode, -signal.SIGINT)
        self.assertFalse(self.part().exists())
        self.release()
        self.hub.requests.clear()
        self.get()
        self.expect_part()
        self.assertLess(self.sent(), self.part().stat().st_size - 4_000_000)

    def test_what_an_earlier_run_left_damaged_is_fetched_again(self):
        for place in (100, 5_000_000):
            with self.subTest(place):
                shutil.rmtree(self.folder / ".cache", ignore_errors=True)
                run = self.start_and_hold(9_000_000)  # two blocks
                run.kill()
                run.communicate()
                with open(self.partial(), "r+b") as file:
                    file.seek(place)
                    file.write(bytes(64))
                self.release()
                self.get()
                self.expect_part()

    def test_two_downloads_of_one_tower_do_not_meet(self):
        self.hub.faults.pause = 0.004
        runs = [self.start(NAME) for _ in range(3)]
        for run in runs:
            out, error = run.communicate(timeout=test_get.PATIENCE)
            self.assertEqual(run.returncode, 0, error)
            self.assertEqual(out.strip(), str(self.part().parent))
        self.expect_part()
        self.assertLess(self.sent(), 1.5 * self.part().stat().st_size)
        self.assertEqual(list(self.part().parents[2].joinpath("blobs").iterdir()), [])

    def test_a_newer_tower_is_preferred_to_an_older_whole_file(self):
        self.get(NAME, "--file", WEIGHTS, "--file", "config.json")
        ref = self.cache / "models--ada--vit" / "refs" / "main"
        os.utime(ref, (1e9, 1e9))
        data = bytearray(self.repository.files[WEIGHTS])
        data[-5000:] = bytes(5000)
        self.repository.files = {**self.repository.files, WEIGHTS: bytes(data)}
        self.repository.commit = hashlib.sha1(b"second").hexdigest()
        self.repository.revisions[-1] = self.repository.commit
        self.assertEqual(self.get().stdout.strip(), str(self.part().parent))
        self.variables["HF_HUB_OFFLINE"] = "1"
        self.assertEqual(self.get().stdout.strip(), str(self.part().parent))

    def test_kills_leave_nothing_that_is_taken_for_the_tower(self):
        draw = random.Random(34)
        self.hub.faults.pause, self.hub.faults.piece = 0.004, 1 << 18
        killed = 0
        for _ in range(20 * test_get.KILLS):
            if killed == test_get.KILLS:
                break
            run = self.start(NAME)
            time.sleep(draw.uniform(0, 0.6))
            run.kill()
            run.communicate()
            if self.part().exists():
                self.expect_part()
                shutil.rmtree(self.folder / ".cache")
            killed += run.returncode != 0
        self.get()
        self.expect_part()

    def test_another_file_under_the_same_name(self):
        """The branch has moved: a part of the previous commit must not be resumed."""
        run = self.start_and_hold(5_000_000)  # a block
        run.kill()
        run.communicate()
        before = self.partial()
        self.release()
        data = bytearray(self.repository.files[WEIGHTS])
        data[-5000:] = bytes(5000)
        self.repository.files = {**self.repository.files, WEIGHTS: bytes(data)}
        self.repository.commit = hashlib.sha1(b"second").hexdigest()
        self.repository.revisions[-1] = self.repository.commit
        self.get()
        self.assertNotEqual(before, self.partial())
        before.unlink()
        pathlib.Path(f"{before}.sha256").unlink()
        self.expect_part()


if __name__ == "__main__":
    unittest.main(argv=test_get.sys.argv[:1] + test_get.sys.argv[2:], verbosity=2)
