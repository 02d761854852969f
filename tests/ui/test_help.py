"""The manual in the program: F1 opens it at the page of the screen; links, search and keys lead on."""

from harness import WindowTest, main


class Help(WindowTest):
    def test_it_opens_at_the_page_of_the_screen(self):
        app = self.start()
        for key, page in (("ctrl+2", "walk.md"), ("ctrl+3", "heads.md"), ("ctrl+4", "positions.md"),
                          ("ctrl+5", "lessons.md"), ("ctrl+1", "look.md")):
            app.key(key)
            screen = page.removesuffix(".md")
            app.until_reports(field__screen=screen)
            app.key("F1")
            app.until_reports(panel="help", help__page=page)
            app.key("Escape")
            app.until_reports(panel="nothing")

    def test_links_and_contents_turn_to_pages(self):
        app = self.start()
        app.key("F1")
        app.until_reports(panel="help")
        app.click("help.page.getting-started")
        app.until_reports(help__page="getting-started.md")
        app.click("help.link.1")  # to how it is built by hand, which is far down
        app.until_reports(help__page="developers.md")
        app.click("help.page.keys")
        app.until_reports(help__page="keys")

    def test_pages_have_their_pictures(self):
        app = self.start()
        app.key("F1")
        app.until_reports(panel="help")
        app.click("help.page.heads")
        app.until_reports(help__picture="pictures/heads.png")

    def test_search_finds_sections_and_opens_one(self):
        app = self.start()
        app.key("F1")
        app.until_reports(panel="help")
        app.click("help.search")
        app.type("times even")
        app.key("Return")
        found = app.until(lambda r: int(r["reports"].get("help.found", "0")) > 0, "sections")["reports"]
        self.assertLess(int(found["help.found"]), 20)
        app.click("help.found.1")
        app.until_reports(help__found="0")
        self.assertIn(app.reports()["help.page"], ("glossary.md", "walk.md", "../lessons/README.md"))

    def test_terms_are_explained_where_they_appear(self):
        app = self.start()
        app.key("ctrl+2")
        app.until_reports(field__screen="walk")
        app.go_to("softmax")
        app.point("term.Attention weights")
        tip = app.until(lambda r: "tooltip" in r["reports"], "the meaning")["reports"]["tooltip"]
        self.assertIn("sum to 1", tip)
        app.key("F1")
        app.until_reports(panel="help")
        app.click("help.page.heads")
        app.until_reports(help__page="heads.md")
        app.point("term.Token")
        tip = app.until(lambda r: "vector" in r["reports"].get("tooltip", ""), "the meaning")
        app.click("help.page.glossary")
        names = app.until(lambda r: r["reports"]["help.page"] == "glossary.md", "the glossary")["names"]
        self.assertNotIn("term.Register", names)

    def test_text_can_be_selected_and_copied(self):
        app = self.start()
        app.key("F1")
        app.until_reports(panel="help")
        app.click("help.page.getting-started")
        app.until_reports(help__page="getting-started.md")
        app.point("help.link.1")
        app.key("ctrl+a")
        app.key("ctrl+c")
        self.assertTrue(app.clipboard().startswith("Getting started\n\nInstall and run"))


if __name__ == "__main__":
    main()
