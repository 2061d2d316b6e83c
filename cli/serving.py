"""Options of commands that serve pages behind links, and the listening socket."""

from socket import socket
from typing import Annotated

import typer

from ..errors import InvalidOption

Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 accepts other machines.")]
Url = Annotated[
    str,
    typer.Option(
        metavar="URL",
        help="Public address for links: https://annotate.example.org",
        show_default="the listening address",
    ),
]
Proxy = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address or network of a proxy whose X-Forwarded-For header is true; repeatable.",
        show_default="none",
    ),
]


def listen_at(host: str, port: int | None, url: str) -> tuple[socket, frozenset[str] | None, str]:
    """Return a listening socket, the accepted host names, and the address for links."""
    from ..web.page import LOOPBACK
    from ..web.server import address, check_port, is_loopback, listen

    hosts: frozenset[str] | None = LOOPBACK if is_loopback(host) else None
    if url:
        hosts = LOOPBACK | {host_of(url)}
    check_port(port)
    listening = listen(host, port)
    return listening, hosts, url or address(listening)


def check_proxies(names: list[str] | None) -> list[str]:
    """Return the networks of proxies; InvalidOption for other text."""
    from ipaddress import ip_network

    proxies = []
    for name in names or []:
        try:
            proxies.append(str(ip_network(name)))
        except ValueError:
            raise InvalidOption(
                f"--proxy: expected an address such as 127.0.0.1 or a network such as 10.0.0.0/8, "
                f"but got {name!r}"
            ) from None
    return proxies


def host_of(url: str) -> str:
    """Return the host of a public address; InvalidOption if it has a path or no host."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
        raise InvalidOption(
            f"--url: expected an address such as https://annotate.example.org, but got {url!r}"
        )
    return parts.hostname
