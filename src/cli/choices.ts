export const GET_FORMATS = ["yaml", "xml", "json"] as const;
export type GetFormat = (typeof GET_FORMATS)[number];

/** `live` is the candidate if the target has one. */
export const GET_VIEWS = ["live", "running", "desired"] as const;
export type GetView = (typeof GET_VIEWS)[number];

export const REACH_FORMATS = ["text", "json"] as const;
export type ReachFormat = (typeof REACH_FORMATS)[number];
/** The running rules, or the rules including uncommitted changes. */
export const REACH_VIEWS = ["running", "candidate"] as const;

export const LOG_FORMATS = ["table", "json", "csv"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export const VERDICT_FORMATS = ["text", "json", "csv"] as const;
export type VerdictFormat = (typeof VERDICT_FORMATS)[number];
