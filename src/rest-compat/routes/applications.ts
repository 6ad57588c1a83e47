import { z } from 'zod';
import { getOwnApplication, updateApplication } from '../../domain/applications/index.js';
import { renderApplication } from '../../wire/applications.js';
import { EDITED_AS, EditApplication, settingsOf } from '../application-edit.js';
import { reads, writes } from '../buckets.js';
import { ICON_BODY_BYTES } from '../images.js';
import { CLOUD, route } from '../route.js';

export const applicationRoutes = ['/applications/@me', '/oauth2/applications/@me'].flatMap((path) => [
  route({
    method: 'GET',
    path,
    summary: "Get the bot's application",
    callers: ['bot'],
    bucket: reads('applications-me'),
    where: CLOUD,
    params: z.object({}),
    run: (call) => getOwnApplication(call),
    render: renderApplication,
  }),
  route({
    method: 'PATCH',
    path,
    summary: "Edit the bot's application",
    callers: ['bot'],
    bucket: writes('applications-me-edit'),
    where: CLOUD,
    params: z.object({}),
    body: EditApplication,
    faultNames: EDITED_AS,
    maxJsonBytes: ICON_BODY_BYTES,
    async run(call, { body }) {
      const { id } = await getOwnApplication(call);
      await updateApplication(call, { applicationId: id, ...settingsOf(body) });
      return getOwnApplication(call);
    },
    render: renderApplication,
  }),
]);
