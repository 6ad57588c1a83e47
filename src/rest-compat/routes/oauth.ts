import { z } from 'zod';
import { getAuthorization } from '../../domain/oauth/index.js';
import { renderAuthorization } from '../../wire/oauth.js';
import { reads } from '../buckets.js';
import { CLOUD, route } from '../route.js';

export const oauth2Routes = [
  route({
    method: 'GET',
    path: '/oauth2/@me',
    summary: 'Get the current authorization',
    description:
      'Returns the application, the scopes and the expiry of the OAuth2 token. Includes the user with the scope `identify`.',
    callers: ['token'],
    bucket: reads('oauth2-me'),
    where: CLOUD,
    params: z.object({}),
    run: (call) => getAuthorization(call),
    render: renderAuthorization,
  }),
];
