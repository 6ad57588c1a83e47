/** What is said of somebody or something: null for nothing. */
export type Say = boolean | null;
