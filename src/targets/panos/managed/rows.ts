/** How a row of a managed firewall begins to say who hands it something (`by`). */
export const GROUP = "device-group/";
export const STACK = "template-stack/";
