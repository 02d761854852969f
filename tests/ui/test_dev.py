"""`./dev run` where there is no display: pictures of the window, made of a program already built."""

import os
import shutil
import subprocess

from harness import IMAGES, PATIENCE, SOURCE, STEPS, WindowTest, environment, main

NAMES = [f"{number:02}-{step}.png" for number, step in enumerate(STEPS, 1)]
# Replaces build and installation: dpkg-query reports every package as installed.
STANDINS = {"cmake": 'echo "$@" >>"$(dirname "$0")/cmake.log"', "ctest": "exit 0", "dpkg-query": 'shift 2; printf "|%s installed" "$@"'}

# A system that lacks some packages, offers some of them, and records apt-get's arguments.
OTHER_SYSTEM = {
    "dpkg-query": 'shift 2; for name in "$@"; do [[ " $MISSING " == *" $name "* ]] || printf "|%s installed|" "$name"; done',
    "apt-cache": 'shift; for name in "$@"; do [[ " $OFFERED " != *" $name "* ]] || printf "%s:\\n  Candidate: 1.0\\n" "$name"; done',
    "apt-get": 'echo "$@" >>"$(dirname "$0")/apt.log"; [[ $* != *install* ]] || exit "$APT_STATUS"',
    "sudo": 'exec "$@"'}


class Dev(WindowTest):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "checkout"
        (self.root / "build" / "release").mkdir(parents=True)
        (self.root / "build" / "release" / "headlight").symlink_to(self.program)
        (self.root / "assets").symlink_to(SOURCE / "assets")
        shutil.copy(SOURCE / "dev", self.root)
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        self.stand_in(STANDINS)

    def stand_in(self, tools):
        for name, work in tools.items():
            (self.tools / name).write_text(f"#!/bin/bash\n{work}\n")
            (self.tools / name).chmod(0o755)

    def dev(self, *words, **more):
        variables = environment(self.folder) | more
        variables["PATH"] = f"{self.tools}:{variables['PATH']}"
        return subprocess.run([self.root / "dev", *words], cwd=self.folder, env=variables,
                              capture_output=True, text=True, timeout=PATIENCE * 4, check=False)

    def run_dev(self, *images):
        return self.dev("run", *images)

    def assert_tour(self, folder):
        self.assertEqual(sorted(path.name for path in folder.iterdir()), NAMES)

    def test_one_image(self):
        done = self.run_dev(IMAGES / "shapes.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_tour(self.root / "out")

    def test_several_images_each_in_its_folder(self):
        other = self.folder / "other"
        other.mkdir()
        shutil.copy(IMAGES / "coffee.jpg", other / "shapes.jpg")
        done = self.run_dev(IMAGES / "shapes.png", other / "shapes.jpg")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.root / "out"
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["shapes", "shapes-2"])
        for folder in out.iterdir():
            self.assert_tour(folder)
        first, second = ((out / name / NAMES[0]).read_bytes() for name in ("shapes", "shapes-2"))
        self.assertNotEqual(first, second)

    def test_a_new_build_folder_has_batches_and_only_developers_are_stopped_by_warnings(self):
        cache = self.root / "build" / "release" / "CMakeCache.txt"
        log = self.tools / "cmake.log"
        for words, there, strict in (("build",), False, False), (("test",), False, True), (
                ("test",), True, False):
            if there:
                cache.touch()
            done = self.dev(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = log.read_text()
            log.unlink()
            self.assertIn("--preset release", said)
            self.assertEqual("-DHEADLIGHT_WERROR=ON" in said, strict, (words, there))
            self.assertEqual("-DHEADLIGHT_BATCHES=ON" in said, not there, (words, there))

    def test_a_batch_that_does_not_compile_is_compiled_source_by_source(self):
        cache = self.root / "build" / "release" / "CMakeCache.txt"
        log = self.tools / "cmake.log"
        self.stand_in({"cmake": 'echo "$@" >>"$(dirname "$0")/cmake.log"; [[ $* != --build* || -e $APART ]]'})
        for batches, apart, status, times in (("ON", "/", 0, 1), ("ON", "none", 1, 2), ("OFF", "none", 1, 1)):
            cache.write_text(f"HEADLIGHT_BATCHES:BOOL={batches}\n")
            done = self.dev("build", APART=apart)
            self.assertEqual(done.returncode, status, done.stderr)
            said = log.read_text()
            log.unlink()
            self.assertEqual(said.count("--build"), times, said)
            self.assertEqual("-DHEADLIGHT_BATCHES=OFF" in said, times == 2, said)

    def test_a_package_has_the_time_of_the_commit_and_a_build_for_each_level(self):
        log = self.tools / "cmake.log"
        self.stand_in({"dpkg-query": OTHER_SYSTEM["dpkg-query"], "uname": "echo $MACHINE", "git": "echo 1700000000",
                       "cpack": 'echo "$SOURCE_DATE_EPOCH" >"$(dirname "$0")/time"; touch headlight_1_$MACHINE.deb'})
        (self.root / "build" / "package").mkdir()
        for machine, levels, variables, time in (("x86_64", ["x86-64-v3", "x86-64-v4"], {}, "1700000000"),
                                                 ("aarch64", [], {"SOURCE_DATE_EPOCH": "1600000000"}, "1600000000")):
            done = self.dev("package", MISSING="", MACHINE=machine, **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, f"{self.root}/build/package/headlight_1_{machine}.deb\n")
            self.assertEqual((self.tools / "time").read_text(), time + "\n")
            said = log.read_text().splitlines()
            log.unlink()
            configured = [line for line in said if line.startswith("--preset")]
            self.assertEqual([line.split()[1] for line in configured], [f"package-{level}" for level in levels] + ["package"])
            self.assertIn(f"-DHEADLIGHT_OTHER_LEVELS={';'.join(levels)} ", configured[-1] + " ")
            self.assertEqual(len([line for line in said if line.startswith("--build")]), len(levels) + 1)

    def test_a_release_has_a_package_for_each_debian_with_notes_and_checksums(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, as the command does")
        self.stand_in({"dpkg-query": OTHER_SYSTEM["dpkg-query"], "git": "[[ $* != *status* ]] || { echo -n $CHANGED; exit; }; echo 1700000000",
                       "tar": "[[ $* == *--directory* ]] || cat >/dev/null",
                       "mmdebstrap": 'mkdir -p "${@: -1}/etc"',
                       "unshare": """case $9 in
                           /tarball/*) mkdir $8/tarball/out; echo folder >$8/tarball/out/headlight-1.2.3-linux-x86_64.tar.gz ;;
                           *windows-here*) [[ -z $BROKEN ]] || exit 1; folder=$shared/build/windows-zip; mkdir -p $folder; echo zip >$folder/headlight-1.2.3-windows-x86_64.zip ;;
                           *web-here*) mkdir -p $shared/build/web; echo page >$shared/build/web/index.html ;;
                           *) folder=$8/headlight/build/package; mkdir -p $folder; basename $8 >$folder/headlight_1.2.3-0.1_amd64.deb ;;
                       esac"""})
        (self.root / "packaging").mkdir()
        for name in ("tarball", "fonts"):
            (self.root / "packaging" / name).write_text("")
        (self.root / "CMakeLists.txt").write_text("project(Headlight VERSION 1.2.3 LANGUAGES CXX)\n")
        (self.root / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.3] - today\n\n- New.\n\n## [1.2.2] - before\n\n- Old.\n")
        done = self.dev("release", MISSING="", CHANGED=" M dev", BROKEN="")
        self.assertEqual(done.returncode, 1)
        self.assertIn("in none", done.stderr)
        done = self.dev("release", MISSING="", CHANGED="", BROKEN="")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.root / "build" / "artifacts"
        self.assertEqual((out / "notes.md").read_text().strip(), "- New.")
        for suite in ("bookworm", "trixie"):
            self.assertEqual((out / f"headlight_1.2.3~{suite}-0.1_amd64.deb").read_text(), suite + "\n")
        self.assertEqual(subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=out, check=False).returncode, 0)
        self.assertEqual((out / "headlight-1.2.3-linux-x86_64.tar.gz").read_text(), "folder\n")
        self.assertEqual((out / "headlight-1.2.3-windows-x86_64.zip").read_text(), "zip\n")
        self.assertTrue((out / "headlight-1.2.3-web.tar.gz").exists())
        self.assertEqual(len((out / "SHA256SUMS").read_text().splitlines()), 6)
        # What an earlier release left does not stand in for what cannot be built.
        done = self.dev("release", MISSING="", CHANGED="", BROKEN="yes")
        self.assertEqual(done.returncode, 1)
        self.assertFalse((out / "SHA256SUMS").exists())

    def test_what_is_not_there_cannot_be_checked(self):
        for what in ("package", "tarball", "windows"):
            done = self.dev("check", what)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"./dev {what}", done.stderr)

    def asked_of_apt(self, command, missing, offered, status=0):
        """The packages to be installed, one list per call."""
        self.stand_in(OTHER_SYSTEM)
        log = self.tools / "apt.log"
        log.unlink(missing_ok=True)
        done = self.dev(command, MISSING=missing, OFFERED=offered, APT_STATUS=str(status))
        lines = log.read_text().splitlines() if log.exists() else []
        installs = [line.partition("--no-install-recommends ")[2].split() for line in lines if " install " in line]
        return done, installs

    def test_what_tests_compare_with_comes_where_nothing_else_is_missing(self):
        torch = ["python3-torch", "libopenblas0-pthread"]
        done, installs = self.asked_of_apt("test", " ".join(torch), " ".join(torch))
        self.assertEqual((done.returncode, installs), (0, [torch]), done.stderr)
        done, installs = self.asked_of_apt("test", " ".join(torch), "")
        self.assertEqual((done.returncode, installs), (0, []), done.stderr)
        self.assertIn("continuing without python3-torch", done.stderr)
        done, installs = self.asked_of_apt("test", " ".join(torch), " ".join(torch), status=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("continuing without python3-torch", done.stderr)
        done, installs = self.asked_of_apt("build", " ".join(torch), " ".join(torch))
        self.assertEqual((done.returncode, installs), (0, []), done.stderr)

    def test_what_is_useful_comes_with_what_is_needed(self):
        jpeg, useful = "libjpeg62-turbo-dev libjpeg-turbo8-dev", "libtiff-dev libavif-dev libheif-dev"
        done, installs = self.asked_of_apt("build", useful, useful)
        self.assertEqual((done.returncode, installs), (0, []), done.stderr)
        done, installs = self.asked_of_apt("build", f"{jpeg} {useful}", f"libjpeg-turbo8-dev {useful}")
        self.assertEqual((done.returncode, installs),
                         (0, [["libjpeg-turbo8-dev"], useful.split()]), done.stderr)
        done, installs = self.asked_of_apt("build", jpeg, "")
        self.assertEqual((done.returncode, installs), (1, []))
        self.assertIn("does not offer libjpeg62-turbo-dev or libjpeg-turbo8-dev", done.stderr)

    def test_no_image_no_pictures(self):
        letter = self.folder / 'my "letter".png'
        letter.write_text("This is a letter, not a picture.\n")
        done = self.run_dev(letter)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{letter}: expected a PNG", done.stderr)
        self.assertEqual(list((self.root / "out").iterdir()), [])


if __name__ == "__main__":
    main()
