from __future__ import annotations

import base64
from pathlib import Path

import pytest
from fake_service import FakeService, artifact, result

from hexr.sandbox import Artifact, Client

PNG = b"\x89PNG\r\n\x1a\n"


def test_a_file_goes_into_a_directory_under_its_own_path(tmp_path: Path) -> None:
    saved = Artifact("plots/a.png", "image/png", PNG).save(tmp_path)

    assert saved == tmp_path / "plots" / "a.png"
    assert saved.read_bytes() == PNG


def test_a_file_goes_to_a_path_of_ones_own(tmp_path: Path) -> None:
    saved = Artifact("plots/a.png", "image/png", PNG).save(str(tmp_path / "b.png"))

    assert saved == tmp_path / "b.png"
    assert saved.read_bytes() == PNG


def test_without_an_argument_a_file_goes_into_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert Artifact("a.txt", "text/plain", b"x").save().resolve() == tmp_path / "a.txt"


@pytest.mark.parametrize("path", ["../a", "/etc/a", "a/../../b", "a//b", ".", "", "a/.", "a\0b"])
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    below = tmp_path / "below"
    below.mkdir()

    with pytest.raises(ValueError, match="not safe"):
        Artifact(path, "text/plain", b"x").save(below)
    assert list(tmp_path.rglob("*")) == [below]


@pytest.mark.parametrize("path", ["link/a", "a"])
def test_a_symbolic_link_that_is_there_is_not_followed_out_of_the_directory(tmp_path: Path, path: str) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (below / "link").symlink_to(tmp_path)
    (below / "a").symlink_to(tmp_path / "target")

    with pytest.raises(ValueError, match="symbolic link"):
        Artifact(path, "text/plain", b"x").save(below)
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "target").exists()


def test_a_png_shows_as_such() -> None:
    shown = Artifact("a.png", "image/png", PNG)

    assert shown._repr_png_() == PNG
    assert shown._repr_mimebundle_()["image/png"] == base64.b64encode(PNG).decode()


def test_an_svg_shows_as_an_image_in_which_no_script_runs() -> None:
    svg = b"<svg><script>alert(1)</script></svg>"
    bundle = Artifact("a.svg", "image/svg+xml", svg)._repr_mimebundle_()

    assert "image/svg+xml" not in bundle
    assert f'src="data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"' in bundle["text/html"]


@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "application/json"])
def test_text_shows_escaped_and_cut(media_type: str) -> None:
    shown = Artifact('"><script>.txt', media_type, b"<script>alert(1)</script>" + b"x" * 5_000)._repr_html_()

    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "… 3025 more characters" in shown
    assert len(shown) < 3_000


def test_any_other_type_shows_as_name_and_size_whatever_it_claims_to_be() -> None:
    shown = Artifact("a.bin", '"><script>', b"\x00" * 7)._repr_html_()

    assert shown == "<div>a.bin (&quot;&gt;&lt;script&gt;, 7 bytes)</div>"


def test_a_result_shows_its_output_and_its_files(service: FakeService) -> None:
    service.replies = [result(stdout="<b>", stderr="oh", exit_code=3, artifacts=[artifact("a.png", "image/png", PNG)])]
    with Client(service.url) as client:
        shown = client.exec("x")._repr_mimebundle_()["text/html"]

    assert "<pre>&lt;b&gt;</pre><pre>oh</pre>" in shown
    assert "data:image/png;base64," in shown
    assert "exit code 3, 12 ms, 34.0 MiB" in shown


def test_the_bytes_of_a_file_are_not_in_its_repr() -> None:
    assert repr(Artifact("a", "b", b"secret")) == "Artifact(path='a', media_type='b')"
    assert Artifact("d/a.txt", "text/plain", "ä".encode()).text() == "ä"
    assert (Artifact("d/a.txt", "", b"xy").name, Artifact("d/a.txt", "", b"xy").size) == ("a.txt", 2)
