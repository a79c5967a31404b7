"""torch.nn.LSTM in double precision, for the tests of the LSTM optimizer.

Run:  python3 torch_lstm.py   (writes lstm.in beside it)
Weights are 0.6 sin(0.37 i) by their place i in our order: for each layer W_x, b, W_h; then head weight and bias.
Made with PyTorch 2.15 on the CPU.
"""
import os
import torch

torch.set_default_dtype(torch.float64)
HERE = os.path.dirname(os.path.abspath(__file__))
H, LAYERS, INPUTS, P = 3, 2, 2, 10.0
place = 0


def take(*shape):
    global place
    count = int(torch.tensor(shape).prod())
    values = 0.6 * torch.sin(0.37 * torch.arange(place, place + count))
    place += count
    return values.reshape(shape)


lstm = torch.nn.LSTM(INPUTS, H, LAYERS)
with torch.no_grad():
    for layer in range(LAYERS):
        getattr(lstm, f"weight_ih_l{layer}").copy_(take(4 * H, INPUTS if layer == 0 else H))
        getattr(lstm, f"bias_ih_l{layer}").copy_(take(4 * H))
        getattr(lstm, f"bias_hh_l{layer}").zero_()
        getattr(lstm, f"weight_hh_l{layer}").copy_(take(4 * H, H))
    head, bias = take(H), take(1)
    g = torch.tensor([0.5, -2e-3, 3e-6, -1e-9, 4.0, -0.3, 1e-4])
    large = g.abs() >= torch.exp(torch.tensor(-P))
    first = torch.where(large, g.abs().log() / P, torch.tensor(-1.0))
    second = torch.where(large, g.sign(), torch.exp(torch.tensor(P)) * g)
    out, _ = lstm(torch.stack([first, second], 1).unsqueeze(1))
    updates = 0.01 * (out.squeeze(1) @ head + bias)
values = lambda t: ", ".join(repr(v) for v in t.tolist())
with open(os.path.join(HERE, "lstm.in"), "w") as file:
    file.write("// Written by torch_lstm.py; do not edit.\n#[rustfmt::skip]\n"
               f"const GRADIENTS: [f64; {len(g)}] = [{values(g)}];\n#[rustfmt::skip]\n"
               f"const UPDATES: [f64; {len(g)}] = [{values(updates)}];\n")
print("PyTorch", torch.__version__)
