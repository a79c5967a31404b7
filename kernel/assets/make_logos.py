"""Draws logo-32x32.png and logo-64x64.png with the shapes of logo-svg.svg (Pillow 11 or later)."""
import pathlib

from PIL import Image, ImageDraw

HERE = pathlib.Path(__file__).parent.parent / 'wheel/data/share/jupyter/kernels/workbench'
OVER = 16  # drawn this many times larger, then reduced


def scaled(*values):
    return [value * OVER for value in values]


image = Image.new("RGBA", (64 * OVER, 64 * OVER), (0, 0, 0, 0))
draw = ImageDraw.Draw(image)
draw.rounded_rectangle(scaled(2, 2, 62, 62), radius=12 * OVER, fill="#0b4f6c")
draw.rectangle(scaled(10, 42, 54, 47), fill="#ffffff")
draw.rectangle(scaled(15, 47, 20, 56), fill="#ffffff")
draw.rectangle(scaled(44, 47, 49, 56), fill="#ffffff")
points = [(13, 36), (24, 30), (36, 21), (51, 11)]
draw.line([tuple(scaled(*p)) for p in points], fill="#f4a259", width=4 * OVER, joint="curve")
for x, y in (points[0], points[-1]):
    draw.ellipse(scaled(x - 2, y - 2, x + 2, y + 2), fill="#f4a259")
for x, y in points[1:3]:
    draw.ellipse(scaled(x - 4, y - 4, x + 4, y + 4), fill="#ffffff")
for size in (32, 64):
    image.resize((size, size), Image.LANCZOS).save(HERE / f"logo-{size}x{size}.png", optimize=True)
