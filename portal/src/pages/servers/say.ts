/** Allowed, denied, or null for neither. */
export type Say = boolean | null;
