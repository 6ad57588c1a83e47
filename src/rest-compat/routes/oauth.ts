import { z } from 'zod';
import { getAuthorization } from '../../domain/oauth/index.js';
import { renderAuthorization } from '../../wire/oauth.js';
import { reads } from '../buckets.js';
import { CLOUD, route } from '../route.js';

export const oauth2Routes = [
  route({
    method: 'GET',
    path: '/oauth2/@me',
    callers: ['token'],
    bucket: reads('oauth2-me'),
    where: CLOUD,
    params: z.object({}),
    run: (call) => getAuthorization(call),
    render: renderAuthorization,
  }),
];
