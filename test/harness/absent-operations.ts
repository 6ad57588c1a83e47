/** Operations of the reference platform's OpenAPI document without a route, and why. */
export const ABSENT_OPERATIONS: readonly { because: string; operations: readonly string[] }[] = [
  {
    because:
      'There are no threads: of a channel, and of a server that asks for them, there are none to read (docs/absent.md).',
    operations: [
      'DELETE /channels/{channel_id}/thread-members/@me',
      'DELETE /channels/{channel_id}/thread-members/{user_id}',
      'GET /channels/{channel_id}/thread-members',
      'GET /channels/{channel_id}/thread-members/{user_id}',
      'GET /channels/{channel_id}/threads/archived/private',
      'GET /channels/{channel_id}/threads/archived/public',
      'GET /channels/{channel_id}/threads/search',
      'GET /channels/{channel_id}/users/@me/threads/archived/private',
      'POST /channels/{channel_id}/messages/{message_id}/threads',
      'POST /channels/{channel_id}/threads',
      'PUT /channels/{channel_id}/thread-members/@me',
      'PUT /channels/{channel_id}/thread-members/{user_id}',
    ],
  },
  {
    because: 'Of permissions of commands only the endpoint that sets them is offered (service description, section 4).',
    operations: [
      'GET /applications/{application_id}/guilds/{guild_id}/commands/permissions',
      'GET /applications/{application_id}/guilds/{guild_id}/commands/{command_id}/permissions',
    ],
  },
  {
    because: 'An application reads and changes itself alone, under `@me`.',
    operations: ['GET /applications/{application_id}', 'PATCH /applications/{application_id}'],
  },
  {
    because: 'There are no scheduled events, and what would make one is not routed (docs/absent.md).',
    operations: [
      'DELETE /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}',
      'DELETE /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/exceptions/{exception_id}',
      'GET /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}',
      'GET /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/users',
      'GET /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/users/counts',
      'GET /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/{guild_scheduled_event_exception_id}/users',
      'PATCH /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}',
      'PATCH /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/exceptions/{exception_id}',
      'POST /guilds/{guild_id}/scheduled-events',
      'POST /guilds/{guild_id}/scheduled-events/{guild_scheduled_event_id}/exceptions',
    ],
  },
  {
    because: 'Messages are moderated by people and bots (docs/absent.md).',
    operations: [
      'DELETE /guilds/{guild_id}/auto-moderation/rules/{rule_id}',
      'GET /guilds/{guild_id}/auto-moderation/rules/{rule_id}',
      'PATCH /guilds/{guild_id}/auto-moderation/rules/{rule_id}',
      'POST /guilds/{guild_id}/auto-moderation/rules',
      'PUT /guilds/{guild_id}/incident-actions',
    ],
  },
  {
    because: 'There are no stickers (docs/absent.md).',
    operations: [
      'DELETE /guilds/{guild_id}/stickers/{sticker_id}',
      'GET /guilds/{guild_id}/stickers/{sticker_id}',
      'GET /sticker-packs/{pack_id}',
      'PATCH /guilds/{guild_id}/stickers/{sticker_id}',
      'POST /guilds/{guild_id}/stickers',
    ],
  },
  {
    because: 'A server is made without a template (docs/absent.md).',
    operations: [
      'DELETE /guilds/{guild_id}/templates/{code}',
      'GET /guilds/templates/{code}',
      'PATCH /guilds/{guild_id}/templates/{code}',
      'POST /guilds/{guild_id}/templates',
      'PUT /guilds/{guild_id}/templates/{code}',
    ],
  },
  {
    because:
      'There is no media: sounds are not kept or played, stages not held, and what is said in a channel has no title (docs/absent.md).',
    operations: [
      'DELETE /guilds/{guild_id}/soundboard-sounds/{sound_id}',
      'DELETE /stage-instances/{channel_id}',
      'GET /stage-instances/{channel_id}',
      'PATCH /guilds/{guild_id}/soundboard-sounds/{sound_id}',
      'PATCH /stage-instances/{channel_id}',
      'POST /channels/{channel_id}/send-soundboard-sound',
      'POST /guilds/{guild_id}/soundboard-sounds',
      'POST /stage-instances',
      'PUT /channels/{channel_id}/voice-status',
    ],
  },
  {
    because:
      'Welcome screen, onboarding and widget are off everywhere, and who wants to join is let in (docs/absent.md).',
    operations: [
      'GET /guilds/{guild_id}/new-member-welcome',
      'GET /guilds/{guild_id}/requests',
      'GET /guilds/{guild_id}/widget.png',
      'PATCH /guilds/{guild_id}/requests/{request_id}',
      'PATCH /guilds/{guild_id}/welcome-screen',
      'PATCH /guilds/{guild_id}/widget',
      'PUT /guilds/{guild_id}/onboarding',
    ],
  },
  {
    because: 'Who removes an application from a server is a person, in the portal.',
    operations: ['DELETE /guilds/{guild_id}/integrations/{integration_id}'],
  },
  {
    because: 'There are no premium applications (service description, section 5; docs/absent.md).',
    operations: [
      'DELETE /applications/{application_id}/entitlements/{entitlement_id}',
      'GET /applications/{application_id}/entitlements/{entitlement_id}',
      'GET /skus/{sku_id}/subscriptions',
      'GET /skus/{sku_id}/subscriptions/{subscription_id}',
      'GET /users/@me/applications/{application_id}/entitlements',
      'POST /applications/{application_id}/entitlements',
      'POST /applications/{application_id}/entitlements/{entitlement_id}/consume',
    ],
  },
  {
    because: 'Roles and profiles are not linked to accounts elsewhere (docs/absent.md).',
    operations: [
      'DELETE /users/@me/applications/{application_id}/role-connection',
      'GET /users/@me/applications/{application_id}/role-connection',
      'GET /users/@me/connections',
      'PUT /applications/{application_id}/role-connections/metadata',
      'PUT /users/@me/applications/{application_id}/role-connection',
    ],
  },
  {
    because: 'There are no activities and no games.',
    operations: [
      'DELETE /lobbies/{lobby_id}',
      'DELETE /lobbies/{lobby_id}/members/@me',
      'DELETE /lobbies/{lobby_id}/members/{user_id}',
      'GET /applications/{application_id}/activity-instances/{instance_id}',
      'GET /lobbies/{lobby_id}',
      'GET /lobbies/{lobby_id}/messages',
      'PATCH /lobbies/{lobby_id}',
      'PATCH /lobbies/{lobby_id}/channel-linking',
      'POST /applications/{application_id}/attachment',
      'POST /lobbies',
      'POST /lobbies/{lobby_id}/members/@me/invites',
      'POST /lobbies/{lobby_id}/members/bulk',
      'POST /lobbies/{lobby_id}/members/{user_id}/invites',
      'POST /lobbies/{lobby_id}/messages',
      'POST /partner-sdk/provisional-accounts/unmerge',
      'POST /partner-sdk/provisional-accounts/unmerge/bot',
      'POST /partner-sdk/token',
      'POST /partner-sdk/token/bot',
      'PUT /lobbies',
      'PUT /lobbies/{lobby_id}/members/{user_id}',
      'PUT /lobbies/{lobby_id}/messages/{message_id}/moderation-metadata',
      'PUT /partner-sdk/dms/{user_id_1}/{user_id_2}/messages/{message_id}/moderation-metadata',
    ],
  },
  {
    because: 'A direct channel is of two.',
    operations: [
      'DELETE /channels/{channel_id}/recipients/{user_id}',
      'PUT /channels/{channel_id}/recipients/{user_id}',
    ],
  },
  {
    because: 'Messages hold no polls (docs/absent.md).',
    operations: [
      'GET /channels/{channel_id}/polls/{message_id}/answers/{answer_id}',
      'POST /channels/{channel_id}/polls/{message_id}/expire',
    ],
  },
  {
    because: 'Announcements stay where they are posted: channels do not follow each other (docs/absent.md).',
    operations: [
      'POST /channels/{channel_id}/followers',
      'POST /channels/{channel_id}/messages/{message_id}/crosspost',
    ],
  },
  {
    because: 'Messages are not searched.',
    operations: ['GET /guilds/{guild_id}/messages/search'],
  },
  {
    because: 'An invite is for whoever follows it.',
    operations: [
      'GET /invites/{code}/target-users',
      'GET /invites/{code}/target-users/job-status',
      'PUT /invites/{code}/target-users',
    ],
  },
  {
    because: 'Scopes are those of the service description (section 5), of which none is OpenID Connect.',
    operations: ['GET /oauth2/keys', 'GET /oauth2/userinfo'],
  },
];
