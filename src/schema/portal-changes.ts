import { accessApplication, ownApplicationIds, visibleApplications } from '../domain/applications/index.js';
import { visibleBoxes } from '../domain/boxes/index.js';
import { requirePerson } from '../domain/call.js';
import { ownGuildIds } from '../domain/guilds/index.js';
import { accessTeam, ownTeamIds } from '../domain/teams/index.js';
import type { Application as ApplicationRow, Team as TeamRow } from '../infra/database/index.js';
import { topics } from '../infra/streams/topics.js';
import { Application } from './applications.js';
import { builder, WITH_PERSONAL_TOKEN } from './builder.js';
import { idOf, parseId } from './ids.js';
import { initialArgs, WITH_INITIAL } from './initial.js';
import { MAX_LIST } from './lists.js';
import { PortalHome } from './portal-home.js';
import { Team } from './teams.js';
import { type Watched, watchState } from './watched-state.js';

/** A role in the application can come from its team. */
function watchedApplication(id: bigint): Watched<ApplicationRow> {
  return {
    key: topics.application(id),
    read: ({ call }) => accessApplication(call, id, 'view'),
    topicsOf: ({ ownerTeamId }) => [
      topics.application(id),
      ...(ownerTeamId === null ? [] : [topics.team(ownerTeamId)]),
    ],
  };
}

/**
 * Includes changes of the team's first {@link MAX_LIST} applications. The limit bounds the rows and topics per change.
 */
function watchedTeam(id: bigint): Watched<TeamRow & { applications: Pick<ApplicationRow, 'id'>[] }> {
  return {
    key: topics.team(id),
    async read({ call }) {
      const team = await accessTeam(call, id, 'view');
      const where = { ...visibleApplications(call), ownerTeamId: id };
      const shown = { where, select: { id: true }, orderBy: { id: 'asc' }, take: MAX_LIST } as const;
      return { ...team, applications: await call.read.application.findMany(shown) };
    },
    topicsOf: ({ applications }) => [topics.team(id), ...applications.map((owned) => topics.application(owned.id))],
  };
}

interface HomeState {
  userId: bigint;
  ownTopics: string[];
}

/**
 * The user's topic has invitations, and everything that the user gains. Applications, teams, servers and boxes have
 * their own topics,
 * limited to {@link MAX_LIST} of each kind.
 */
const watchedPortalHome: Watched<HomeState> = {
  key: 'home',
  async read({ call }) {
    const shown = { take: MAX_LIST };
    const [applicationIds, teamIds, guildIds, boxes] = await Promise.all([
      ownApplicationIds(call, shown),
      ownTeamIds(call, shown),
      ownGuildIds(call, shown),
      call.read.box.findMany({ where: visibleBoxes(call), select: { id: true }, orderBy: { id: 'asc' }, ...shown }),
    ]);
    const ownTopics = [
      ...applicationIds.map((id) => topics.application(id)),
      ...teamIds.map((id) => topics.team(id)),
      ...guildIds.map((id) => topics.guild(id)),
      ...boxes.map(({ id }) => topics.box(id)),
    ];
    return { userId: requirePerson(call).user.id, ownTopics };
  },
  topicsOf: ({ userId, ownTopics }) => [topics.user(userId), ...ownTopics],
  isChange: ({ invalidates }) => invalidates.includes('home'),
  accessOnly: true,
};

builder.subscriptionFields((t) => ({
  portalHomeChanged: t.field({
    type: PortalHome,
    description: `The caller's portal home after each change. Of longer lists, only the first ${MAX_LIST} entries are watched. ${WITH_INITIAL}`,
    args: initialArgs,
    subscribe: (_root, args, context) => watchState(context, watchedPortalHome, args),
    resolve: (home) => home,
  }),
  teamChanged: t.field({
    type: Team,
    description: `The team after each change, until the caller is no longer a member. ${WITH_INITIAL}`,
    args: { teamId: t.arg.id(idOf.team), ...initialArgs },
    subscribe: (_root, { teamId, ...args }, context) =>
      watchState(context, watchedTeam(parseId(teamId, 'teamId')), args),
    resolve: (team) => team,
  }),
  applicationChanged: t.field({
    ...WITH_PERSONAL_TOKEN,
    type: Application,
    description: `The application after each change, until the caller no longer has a role in it. ${WITH_INITIAL}`,
    args: { applicationId: t.arg.id(idOf.application), ...initialArgs },
    subscribe: (_root, { applicationId, ...args }, context) =>
      watchState(context, watchedApplication(parseId(applicationId, 'applicationId')), args),
    resolve: (application) => application,
  }),
}));
