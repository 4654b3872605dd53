/** Prefixes of the source in a row (`by`). */
export const GROUP = "device-group/";
export const STACK = "template-stack/";
