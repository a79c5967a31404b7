//! Mechanisms of the learned optimizer's checks: they hold, and their wrong forms do not.

use workbench_checks::mnemosyne::expert_cell::AdamCell;
use workbench_checks::mnemosyne::optimizer_laboratory::lab;
use workbench_checks::mnemosyne::{
    section_b_8_tensor_wise, section_b_9_super, section_b_10_pre_training, section_b_11_prompt_tuning,
};
use workbench_ledger::{Scale, Setting};
use workbench_optimizer::curves::{curve, later};

#[test]
fn later_rollouts_of_adam_are_those_of_its_whole_curve() {
    let lab = lab(&Setting::new(Scale::Quick, 1)).unwrap();
    for rate in [1e-3, 1.0] {
        let cell = AdamCell::new(rate).unwrap();
        let (all, last) = (curve(&cell, &lab.suite, 4, 5), later(&cell, &lab.suite, 2..4, 5));
        assert_eq!(all.unwrap().task[2..], last.unwrap().task, "{rate}");
    }
}

#[test]
fn mechanisms_hold_and_their_wrong_forms_do_not() {
    let setting = Setting::new(Scale::Quick, 1);
    for found in [
        section_b_8_tensor_wise::FineTuning::default().mechanism(&setting),
        section_b_9_super::Super::default().mechanism(&setting),
        section_b_10_pre_training::PreTraining::default().mechanism(&setting),
        section_b_11_prompt_tuning::PromptTuning::default().mechanism(&setting),
    ] {
        let note = found.unwrap().note().unwrap();
        assert!(note.contains("checked instead") && note.contains("wrong form"), "{note}");
    }
}
