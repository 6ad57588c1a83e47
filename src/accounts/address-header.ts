/** Carries the caller's address to the library. */
export const ADDRESS_HEADER = 'x-causeway-address';
