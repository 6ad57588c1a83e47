// Generated files of the portal: its typed GraphQL documents, and tables of the domain.
import { portalGql } from './portal-gql.mjs';
import { portalTables } from './portal-tables.mjs';

/** @returns the text of each file below portal/src/gql, by its path there */
export async function portalFiles() {
  return new Map([...(await portalGql()), ...portalTables()]);
}
