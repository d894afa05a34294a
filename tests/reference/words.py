"""Short texts on three topics, made of words that belong to them and words that belong to none."""

import numpy as np
import polars as pl

_COMMON = ["the", "of the", "and", "in a", "was", "with", "not", "here", "again", "very"]
_TOPICS = {
    "space": ["orbit", "moon", "launch", "rocket", "shuttle"],
    "hockey": ["goal", "ice", "team", "puck", "coach"],
    "graphics": ["image", "pixel", "colour", "file", "screen"],
}


def posts(n_rows: int = 90, seed: int = 0) -> pl.DataFrame:
    """A table of posts: the text, its length, the topic, and the part (train or test) of each row."""
    rng = np.random.default_rng(seed)
    topics = [list(_TOPICS)[number % len(_TOPICS)] for number in range(n_rows)]
    texts = []
    for topic in topics:
        others = [word for name, words in _TOPICS.items() if name != topic for word in words]
        words = [*rng.choice(_TOPICS[topic], 3), *rng.choice(_COMMON, 6), rng.choice(others)]
        texts.append(" ".join(rng.permutation(words)))
    return pl.DataFrame(
        {
            "post": texts,
            "length": [len(text) for text in texts],
            "topic": topics,
            "split": ["test" if number % 10 < 3 else "train" for number in range(n_rows)],
        }
    )
