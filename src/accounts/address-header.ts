/** The header in which this face tells the accounts library the caller's address. */
export const ADDRESS_HEADER = 'x-causeway-address';
