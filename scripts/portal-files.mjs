// What the portal's pages know of the platform: what they ask, typed, and the domain's own tables.
import { portalGql } from './portal-gql.mjs';
import { portalTables } from './portal-tables.mjs';

/** @returns the text of each file below portal/src/gql, by its path there */
export async function portalFiles() {
  return new Map([...(await portalGql()), ...portalTables()]);
}
