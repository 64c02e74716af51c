"""One compiled graph in many Python threads; the interpreter's lock is not held while it computes."""
import concurrent.futures
import threading
import time

import numpy as np
from support import compiled, random_array


def test_many_threads_call_one_graph():
    f = compiled("ReduceSum", "f32", axes=[1])

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(60):
            x = random.integers(-8, 8, (int(random.integers(1, 30)), 40)).astype(np.float32)
            x = x if random.random() < 0.5 else np.asfortranarray(x)
            out = np.zeros(len(x), np.float32) if random.random() < 0.5 else None
            if not np.array_equal(f(x, out=out), x.sum(1)):
                return False
        return True

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_lock_is_released():
    f = compiled("ReduceLogSumExp", "f64", axes=[0, 1], threads=1)
    x = np.broadcast_to(random_array(1 << 12, "f64"), (1 << 12, 1 << 12))
    f(x[:2])
    began, done = threading.Event(), threading.Event()

    def execute():
        began.set()
        f(x)
        done.set()

    thread = threading.Thread(target=execute)
    thread.start()
    began.wait()
    turns = 0
    while not done.is_set():  # this thread gets on while the other computes
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 3


def test_number_of_threads_does_not_change_the_bits():
    x = random_array((300, 7000))
    results = [compiled("ReduceMean", "f32", axes=[0, 1], threads=n)(x) for n in (0, 1, 2, 3)]
    assert len({r.tobytes() for r in results}) == 1
