use super::*;
use crate::tasks::{Model, NetworkShape};

const BASE: VitShape = VitShape { heads: 12, layers: 12, hidden: 768, mlp: 3072, patch: 16, side: 224 };

fn large(patch: usize) -> VitShape {
    VitShape { heads: 16, layers: 24, hidden: 1024, mlp: 4096, patch, side: 224 }
}

/// The counts that torchvision publishes as `num_params` with its weights for ImageNet.
#[test]
fn vision_transformers_have_the_counts_of_the_public_models() {
    let huge = VitShape { heads: 16, layers: 32, hidden: 1280, mlp: 5120, patch: 14, side: 224 };
    let public = [
        (BASE, 86_567_656),
        (VitShape { patch: 32, ..BASE }, 88_224_232),
        (large(16), 304_326_632),
        (large(32), 306_535_400),
        (huge, 632_045_800),
    ];
    for (shape, count) in public {
        assert_eq!(shape.layout(&VitReading::whole(1000)).unwrap().len(), count, "{shape:?}");
    }
}

/// The counts of the public `BertModel`, `BertForMaskedLM`, `BertForPreTraining` and `T5ForConditionalGeneration`.
#[test]
fn language_models_have_the_counts_of_the_public_models() {
    let base = BertShape::base();
    let heads = [
        (BertHead::None, 108_891_648),
        (BertHead::Pooler, 109_482_240),
        (BertHead::Masked, 109_514_298),
        (BertHead::All, 110_106_428),
    ];
    for (head, count) in heads {
        assert_eq!(base.layout(head).unwrap().len(), count, "{head:?}");
    }
    let small = T5Shape { encoder: 6, decoder: 6, heads: 8, head_width: 64, width: 512, mlp: 2048, vocabulary: 32_128 };
    let first = T5Reading { gated: false, tied: true };
    assert_eq!(small.layout(first).unwrap().len(), 60_506_624, "t5-small");
}

/// The networks that are trained here see one shade, which is all that differs.
#[test]
fn a_vision_transformer_that_can_be_trained_has_the_same_count() {
    let trained = NetworkShape::parse("vit-l3-h2-d16-k8-m40-p4").unwrap();
    let trained = trained.build([12, 12], 7).unwrap().layout().len();
    let shape = VitShape { heads: 2, layers: 3, hidden: 16, mlp: 40, patch: 4, side: 12 };
    let counted = shape.layout(&VitReading::whole(7)).unwrap().len();
    assert_eq!(counted - trained, 2 * 4 * 4 * 16, "two more colours");
}

#[test]
fn readings_differ_by_their_parts_and_all_of_them_have_the_matrices() {
    let all = VitReading::all(1000);
    assert_eq!(all.len(), 32);
    let count = |reading: &VitReading| BASE.layout(reading).unwrap().len();
    let least = all.iter().map(count).min().unwrap();
    assert_eq!(least, 12 * (4 * 768 * 768 + 2 * 768 * 3072) + 768 * 768);
    assert_eq!(all.iter().map(count).max().unwrap(), count(&VitReading::whole(1000)));
    let layout = BASE.layout(&VitReading::whole(1000)).unwrap();
    assert_eq!(numbers_in(&layout, |name| name.starts_with("head/")), 769_000);
    assert_eq!(numbers_in(&layout, |name| name.starts_with("encoder/11/")), 7_087_872);
}

#[test]
fn heads_share_the_hidden_dimension_or_leave_something_over() {
    assert_eq!(large(16).left_over(), 0);
    assert_eq!(large(16).exchanged().left_over(), 1024 % 24);
    assert_eq!(large(16).exchanged().exchanged(), large(16));
}

#[test]
fn sizes_of_zero_and_patches_that_do_not_fill_the_image_are_refused() {
    let whole = VitReading::whole(10);
    let told = |shape: VitShape| shape.layout(&whole).unwrap_err().to_string();
    assert!(told(VitShape { hidden: 0, ..BASE }).contains("hidden is zero"));
    assert!(told(VitShape { patch: 0, ..BASE }).contains("patch is zero"));
    assert!(told(VitShape { patch: 15, ..BASE }).contains("do not fill"));
    let empty = BertShape { vocabulary: 0, ..BertShape::base() };
    assert!(empty.layout(BertHead::None).is_err());
    let headless = T5Shape { heads: 0, ..T5Shape::xxl() };
    let reading = T5Reading { gated: true, tied: true };
    assert!(headless.layout(reading).is_err());
}
