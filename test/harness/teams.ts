import type { TeamMemberRole } from '../../src/infra/database/index.js';
import type { Server } from '../../src/server.js';
import type { GraphqlAnswer, Loose } from './graphql.js';
import type { Person } from './people.js';

export interface MadeTeam {
  id: string;
  name: string;
}

export type Role = 'ADMIN' | 'DEVELOPER' | 'READ_ONLY';

export async function createTeam(owner: Person, name = 'Builders'): Promise<MadeTeam> {
  const { createTeam: made } = await owner.graphql(
    `mutation ($input: CreateTeamInput!) { createTeam(input: $input) { team { id name } } }`,
    { input: { name } },
  );
  return made.team;
}

const TEAM = `query ($id: ID!) { team(id: $id) {
  id name iconUrl owner { id } members { user { id } role } invitations { id state role invitee { id } } applications { id }
} }`;

export async function teamOf(person: Person, { id }: Pick<MadeTeam, 'id'>): Promise<Loose> {
  return (await person.graphql(TEAM, { id })).team;
}

export async function renameTeam(person: Person, team: MadeTeam, name: string): Promise<void> {
  await person.graphql(`mutation ($input: UpdateTeamInput!) { updateTeam(input: $input) { team { id } } }`, {
    input: { teamId: team.id, name },
  });
}

export function askInvite(
  inviter: Person,
  team: Pick<MadeTeam, 'id'>,
  input: { email: string; role?: string },
): Promise<GraphqlAnswer<Loose>> {
  return inviter.ask(
    `mutation ($input: InviteTeamMemberInput!) {
      inviteTeamMember(input: $input) { invitation { id state role invitee { id } inviter { id } team { id name } } }
    }`,
    { input: { teamId: team.id, role: 'DEVELOPER', ...input } },
  );
}

/** Sends an invitation and returns its id. */
export async function inviteToTeam(
  inviter: Person,
  team: Pick<MadeTeam, 'id'>,
  { email }: Person,
  role: Role = 'DEVELOPER',
): Promise<string> {
  const { data, errors } = await askInvite(inviter, team, { email, role });
  if (errors.length > 0) throw new Error(`inviting was refused: ${JSON.stringify(errors)}`);
  return data.inviteTeamMember.invitation.id;
}

export type Answer = 'accept' | 'decline' | 'revoke';

export function askAnswer(person: Person, how: Answer, invitationId: string): Promise<GraphqlAnswer<Loose>> {
  return person.ask(
    `mutation ($input: InvitationIdInput!) { answered: ${how}TeamInvitation(input: $input) { invitation { state } } }`,
    { input: { invitationId } },
  );
}

export async function inviteTester(
  inviter: Person,
  application: { id: string },
  { email }: { email: string },
): Promise<void> {
  await inviter.graphql('mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }', {
    i: { applicationId: application.id, email },
  });
}

export async function acceptInvitation(person: Person, invitationId: string): Promise<void> {
  const { errors } = await askAnswer(person, 'accept', invitationId);
  if (errors.length > 0) throw new Error(`accepting was refused: ${JSON.stringify(errors)}`);
}

/** Makes a user a member, by an accepted invitation. */
export async function addToTeam(
  inviter: Person,
  team: Pick<MadeTeam, 'id'>,
  person: Person,
  role: Role = 'DEVELOPER',
): Promise<void> {
  await acceptInvitation(person, await inviteToTeam(inviter, team, person, role));
}

export function askTeamUser(
  person: Person,
  what: 'removeTeamMember' | 'transferTeamOwnership',
  team: Pick<MadeTeam, 'id'>,
  user: Pick<Person, 'id'>,
): Promise<GraphqlAnswer<Loose>> {
  return person.ask(`mutation ($input: TeamUserInput!) { ${what}(input: $input) { team { id owner { id } } } }`, {
    input: { teamId: team.id, userId: user.id },
  });
}

export async function removeFromTeam(person: Person, team: MadeTeam, member: Pick<Person, 'id'>): Promise<void> {
  const { errors } = await askTeamUser(person, 'removeTeamMember', team, member);
  if (errors.length > 0) throw new Error(`removing was refused: ${JSON.stringify(errors)}`);
}

export function askRole(
  person: Person,
  team: Pick<MadeTeam, 'id'>,
  member: Pick<Person, 'id'>,
  role: string,
): Promise<GraphqlAnswer<Loose>> {
  return person.ask(`mutation ($input: UpdateTeamMemberInput!) { updateTeamMember(input: $input) { team { id } } }`, {
    input: { teamId: team.id, userId: member.id, role },
  });
}

export async function setTeamRole(person: Person, team: MadeTeam, member: Person, role: Role): Promise<void> {
  const { errors } = await askRole(person, team, member, role);
  if (errors.length > 0) throw new Error(`changing the role was refused: ${JSON.stringify(errors)}`);
}

export function askTransfer(
  person: Person,
  input: { applicationId: string; teamId: string; appName: string },
): Promise<GraphqlAnswer<Loose>> {
  return person.ask(
    `mutation ($input: TransferApplicationInput!) { transferApplication(input: $input) {
      application { id ownerUser { id } ownerTeam { id } effectiveRole iconUrl clientSecretHint }
    } }`,
    { input },
  );
}

export async function transferApplication(
  owner: Person,
  application: { id: string; name: string },
  team: Pick<MadeTeam, 'id'>,
): Promise<Loose> {
  const input = { applicationId: application.id, teamId: team.id, appName: application.name };
  const { data, errors } = await askTransfer(owner, input);
  if (errors.length > 0) throw new Error(`transferring was refused: ${JSON.stringify(errors)}`);
  return data.transferApplication.application;
}

/** The pending invitations of a user, by id of the invitation and of the application. */
export async function pendingOf(person: Person): Promise<{ teams: string[]; testers: string[] }> {
  const { portalHome } = await person.graphql(
    `{ portalHome { teamInvitations { id team { name } } testerInvitations { application { id } } } }`,
  );
  return {
    teams: portalHome.teamInvitations.map(({ id }: Loose) => id),
    testers: portalHome.testerInvitations.map(({ application }: Loose) => application.id),
  };
}

export async function putTeam(
  { app }: Pick<Server, 'app'>,
  owner: Person,
  members: [Person, TeamMemberRole][] = [],
): Promise<bigint> {
  const id = app.nextId();
  const joinedAt = new Date(app.clock.now());
  const people: [Person, TeamMemberRole][] = [[owner, 'ADMIN'], ...members];
  const rows = people.map(([person, role]) => ({ userId: BigInt(person.id), role, joinedAt }));
  const data = { id, name: 'Builders', ownerUserId: BigInt(owner.id), members: { createMany: { data: rows } } };
  await app.db.writer.team.create({ data });
  return id;
}
