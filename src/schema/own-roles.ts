import { applicationRole } from '../domain/applications/index.js';
import {
  type ApplicationOperation,
  mayWithApplication,
  mayWithTeam,
  type PortalRole,
  type TeamOperation,
} from '../domain/portal-permissions.js';
import { ownTeamRoles } from '../domain/teams/index.js';
import type { Application } from '../infra/database/index.js';
import type { GraphqlContext } from './context.js';
import { createLoader } from './loaders.js';

type Ownership = Pick<Application, 'ownerUserId' | 'ownerTeamId' | 'transferredById'>;

/** Null if the caller is not a member. */
export function ownTeamRole({ call, loaders }: GraphqlContext, teamId: bigint): Promise<PortalRole | null> {
  const make = () =>
    createLoader<bigint, PortalRole | null>((ids) => ownTeamRoles(call, ids), null, { remember: false });
  return loaders.get('own team roles', make).load(teamId);
}

/** Null if the caller has none. */
export async function ownApplicationRole(context: GraphqlContext, application: Ownership): Promise<PortalRole | null> {
  const { actor } = context.call;
  if (actor.kind !== 'person') return null;
  const { ownerTeamId } = application;
  const roleInTeam = ownerTeamId === null ? null : await ownTeamRole(context, ownerTeamId);
  return applicationRole(actor.user.id, application, roleInTeam);
}

export async function callerMayWithTeam(
  context: GraphqlContext,
  teamId: bigint,
  operation: TeamOperation,
): Promise<boolean> {
  const role = await ownTeamRole(context, teamId);
  return role !== null && mayWithTeam(role, operation);
}

export async function callerMayWithApplication(
  context: GraphqlContext,
  application: Ownership,
  operation: ApplicationOperation,
): Promise<boolean> {
  const role = await ownApplicationRole(context, application);
  return role !== null && mayWithApplication(role, operation);
}
