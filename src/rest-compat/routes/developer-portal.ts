import { z } from 'zod';
import { loadApplicationRecord, resetClientSecret, transferApplication } from '../../domain/applications/index.js';
import { plainText, snowflake } from '../../domain/input.js';
import { inviteTester, listTesters, removeTester } from '../../domain/testers/index.js';
import { renderApplication } from '../../wire/applications.js';
import { renderTester } from '../../wire/testers.js';
import { reads, writes } from '../buckets.js';
import { CLOUD, route } from '../route.js';
import { ids } from '../schemas.js';

const session = ['session'] as const;

const ofApplication = ids('applicationId');

/** Service description, section 4. */
export const developerPortalRoutes = [
  route({
    method: 'POST',
    path: '/developer-portal/applications/:applicationId/reset-secret',
    summary: "Reset an application's client secret",
    description: 'Returns the new secret once. The old secret stops working immediately.',
    callers: session,
    bucket: writes('reset-secret', 'applicationId'),
    where: CLOUD,
    params: ofApplication,
    showsSecret: true,
    run: (call, { params }) => resetClientSecret(call, params.applicationId),
    render: ({ clientSecret }) => ({ secret: clientSecret }),
  }),
  route({
    method: 'POST',
    path: '/developer-portal/applications/:applicationId/transfer',
    summary: 'Transfer an application to a team',
    description: "`app_name` must repeat the application's name. A transfer can't be undone.",
    callers: session,
    bucket: writes('transfer', 'applicationId'),
    where: CLOUD,
    params: ofApplication,
    body: z.object({ team_id: snowflake(), app_name: z.string() }),
    faultNames: { appName: 'app_name' },
    async run(call, { params, body: { team_id: teamId, app_name: appName } }) {
      const { id } = await transferApplication(call, { ...params, teamId, appName });
      return loadApplicationRecord(call, id);
    },
    render: renderApplication,
  }),
  route({
    method: 'GET',
    path: '/developer-portal/applications/:applicationId/testers',
    summary: "List an application's testers",
    callers: session,
    bucket: reads('testers', 'applicationId'),
    where: CLOUD,
    params: ofApplication,
    run: (call, { params }) => listTesters(call, params.applicationId),
    render: (testers) => testers.map(renderTester),
  }),
  route({
    method: 'POST',
    path: '/developer-portal/applications/:applicationId/testers',
    summary: 'Invite a tester',
    description: "Testers can install an application that isn't public.",
    callers: session,
    bucket: writes('testers-invite', 'applicationId'),
    where: CLOUD,
    params: ofApplication,
    body: z.object({ email: plainText().nullish(), user_id: snowflake().nullish() }),
    faultNames: { userId: 'user_id' },
    run: (call, { params, body: { email, user_id: userId } }) => inviteTester(call, { ...params, email, userId }),
    render: renderTester,
  }),
  route({
    method: 'DELETE',
    path: '/developer-portal/applications/:applicationId/testers/:userId',
    summary: 'Remove a tester',
    description: "Also withdraws an invitation that hasn't been accepted.",
    callers: session,
    bucket: writes('testers-remove', 'applicationId'),
    where: CLOUD,
    params: ids('applicationId', 'userId'),
    run: (call, { params }) => removeTester(call, params),
  }),
];
