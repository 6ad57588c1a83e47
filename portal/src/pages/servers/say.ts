/** State of a permission: allowed, denied, or null for neither. */
export type Say = boolean | null;
