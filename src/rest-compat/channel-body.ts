import { z } from 'zod';
import { ChannelEdit, ChannelPositions, NewChannel, NewOverwrite } from '../domain/channels/index.js';
import { limits } from '../domain/limits.js';

const { targetId, targetType, allow, deny } = NewOverwrite.shape;

/** The target is in the path. */
export const OverwriteBody = z.object({ type: targetType, allow, deny });

const Overwrite = OverwriteBody.extend({ id: targetId }).transform(({ id, type, ...bits }) => ({
  targetId: id,
  targetType: type,
  ...bits,
}));

const { type, topic, nsfw, rateLimitPerUser, bitrate, userLimit, position, parentId } = NewChannel.shape;
const SETTINGS = {
  type,
  topic,
  nsfw,
  rate_limit_per_user: rateLimitPerUser,
  bitrate,
  user_limit: userLimit,
  position,
  parent_id: parentId,
  permission_overwrites: z.array(Overwrite).max(limits.overwritesPerList).nullish(),
};

/** Discord's documentation, Create Guild Channel. Unknown fields are ignored. */
export const NewChannelBody = z.object({ name: NewChannel.shape.name, ...SETTINGS }).transform(renamed);

/** Discord's documentation, Modify Channel. */
export const ChannelEditBody = z.object({ name: ChannelEdit.shape.name, ...SETTINGS }).transform(renamed);

type WireSettings = z.output<
  z.ZodObject<Pick<typeof SETTINGS, 'rate_limit_per_user' | 'user_limit' | 'parent_id' | 'permission_overwrites'>>
>;

function renamed<Body extends WireSettings>(named: Body) {
  const { rate_limit_per_user, user_limit, parent_id, permission_overwrites, ...body } = named;
  return {
    ...body,
    rateLimitPerUser: rate_limit_per_user,
    userLimit: user_limit,
    parentId: parent_id,
    overwrites: permission_overwrites,
  };
}

const { channelId, lockPermissions } = ChannelPositions.element.shape;

/** Discord's documentation, Modify Guild Channel Positions. */
export const ChannelPositionsBody = z
  .array(
    z
      .object({ id: channelId, position, parent_id: parentId, lock_permissions: lockPermissions })
      .transform(({ id, parent_id, lock_permissions, ...place }) => ({
        ...place,
        channelId: id,
        parentId: parent_id,
        lockPermissions: lock_permissions,
      })),
  )
  .max(limits.channelsPerGuild);
