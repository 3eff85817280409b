"""Fixtures of the end-to-end tests."""
import pytest

from harness import House


@pytest.fixture
def house():
    """A controller and an agent, started."""
    made = House()
    try:
        yield made.start_all()
    finally:
        made.close()


@pytest.fixture
def make_house():
    """Makes houses that are not started, each with its own configuration; all are closed at the end."""
    made = []

    def make(**options):
        made.append(House(**options))
        return made[-1]

    yield make
    for one in made:
        one.close()
