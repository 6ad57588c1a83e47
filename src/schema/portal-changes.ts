import { accessApplication, visibleApplications } from '../domain/applications/index.js';
import { requirePerson } from '../domain/call.js';
import { accessTeam } from '../domain/teams/index.js';
import { topics } from '../infra/bus.js';
import type { Application as ApplicationRow, Team as TeamRow } from '../infra/database/index.js';
import { Application } from './applications.js';
import { builder } from './builder.js';
import { parseId } from './ids.js';
import { initialArgs, WITH_INITIAL } from './initial.js';
import { MAX_LIST } from './lists.js';
import { PortalHome } from './portal-home.js';
import { Team } from './teams.js';
import { type Watched, watchState } from './watched-state.js';

/** A role in an application may come from its team, and end with it. */
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
 * What is done with a team's applications shows in its list of them and in its audit log. Of a team that has more than a list
 * shows at once, the changes of the others are not told: what a change costs has a bound, in rows and in topics.
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

/** What invites somebody tells their portal home, when it changes in what an invitation shows of it. */
const watchedPortalHome: Watched<{ userId: bigint }> = {
  key: 'home',
  read: async ({ call }) => ({ userId: requirePerson(call).user.id }),
  topicsOf: ({ userId }) => [topics.user(userId)],
};

builder.subscriptionFields((t) => ({
  portalHomeChanged: t.field({
    type: PortalHome,
    description: `What waits for the caller's answer, anew whenever that changes. ${WITH_INITIAL}`,
    args: initialArgs,
    subscribe: (_root, args, context) => watchState(context, watchedPortalHome, args),
    resolve: (home) => home,
  }),
  teamChanged: t.field({
    type: Team,
    description: `The team, anew whenever it changes, until the caller is no member any more. ${WITH_INITIAL}`,
    args: { teamId: t.arg.id({ required: true }), ...initialArgs },
    subscribe: (_root, { teamId, ...args }, context) =>
      watchState(context, watchedTeam(parseId(teamId, 'teamId')), args),
    resolve: (team) => team,
  }),
  applicationChanged: t.field({
    type: Application,
    description: `The application, anew whenever it changes, until the caller has no role in it any more. ${WITH_INITIAL}`,
    args: { applicationId: t.arg.id({ required: true }), ...initialArgs },
    subscribe: (_root, { applicationId, ...args }, context) =>
      watchState(context, watchedApplication(parseId(applicationId, 'applicationId')), args),
    resolve: (application) => application,
  }),
}));
