import {
  BULK_DELETIONS_PER_CHANNEL,
  DELETIONS_PER_CHANNEL,
  DIRECT_CHANNELS_PER_CALLER,
  EDITS_PER_CHANNEL,
  OPENING_TOO_FAST,
  PINS_PER_CHANNEL,
  REACTIONS_PER_CHANNEL,
  SENDS_PER_CHANNEL,
} from '../domain/limits.js';
import type { Bucket } from './route.js';

/** All routes that change reactions share a bucket. */
export const SEND_MESSAGES: Bucket = { limit: SENDS_PER_CHANNEL, major: ['channelId'] };
export const EDIT_MESSAGES: Bucket = { limit: EDITS_PER_CHANNEL, major: ['channelId'] };
export const DELETE_MESSAGES: Bucket = { limit: DELETIONS_PER_CHANNEL, major: ['channelId'] };
export const DELETE_MESSAGES_IN_BULK: Bucket = { limit: BULK_DELETIONS_PER_CHANNEL, major: ['channelId'] };
export const CHANGE_PINS: Bucket = { limit: PINS_PER_CHANNEL, major: ['channelId'] };
export const CHANGE_REACTIONS: Bucket = { limit: REACTIONS_PER_CHANNEL, major: ['channelId'] };

export const OPEN_DIRECT_CHANNELS: Bucket = {
  limit: DIRECT_CHANNELS_PER_CALLER,
  major: [],
  refusal: { code: 40_003, message: OPENING_TOO_FAST },
};

/** Default bucket of a write: 10 requests in 10 s per caller and `major` values. Each route needs its own name. */
export function writes(name: string, ...major: string[]): Bucket {
  return { limit: { name, points: 10, seconds: 10 }, major };
}

/** Default bucket of a read: 30 requests in 10 s, otherwise like `writes`. */
export function reads(name: string, ...major: string[]): Bucket {
  return { limit: { name, points: 30, seconds: 10 }, major };
}
