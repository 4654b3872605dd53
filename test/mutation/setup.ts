import fc from "fast-check";

// A counterexample is enough; to make it small takes longer than all other tests.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
