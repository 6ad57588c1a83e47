import { ComponentType } from 'discord-api-types/v10';
import { z } from 'zod';
import { maybe, unionOfKinds } from '../../input.js';
import { mediaUrl, ownFileUrl } from '../content/urls.js';
import { addFault, component, countOf, offByDefault, onByDefault, text } from './fields.js';
import { button, messageSelect } from './interactive.js';

/** Layout components (Discord's documentation, Component Reference). */

/** Counted in buttons. A select takes the full width. */
const ROW_WIDTH = 5;

const rowChild = unionOfKinds('type', [button, messageSelect]);

export const actionRow = component(ComponentType.ActionRow, {
  components: z
    .array(rowChild)
    .min(1)
    .max(ROW_WIDTH)
    .superRefine((children, context) => {
      let width = 0;
      for (const [index, { type }] of children.entries()) {
        width += type === ComponentType.Button ? 1 : ROW_WIDTH;
        if (width <= ROW_WIDTH) continue;
        const message = 'The specified component exceeds the maximum width';
        addFault(context, [index], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', message);
      }
    }),
});

export const textDisplay = component(ComponentType.TextDisplay, { content: text(1, 4_000) });

const altText = maybe(text(0, 1_024)).transform((description) => description || null);

const shownMedia = { media: z.object({ url: mediaUrl }), description: altText, spoiler: offByDefault };

const thumbnail = component(ComponentType.Thumbnail, shownMedia);

const mediaGallery = component(ComponentType.MediaGallery, {
  items: z.array(z.object(shownMedia)).min(1).max(10),
});

const file = component(ComponentType.File, {
  file: z.object({ url: ownFileUrl }),
  spoiler: offByDefault,
});

const separator = component(ComponentType.Separator, { divider: onByDefault, spacing: countOf(1, 2, 1) });

const section = component(ComponentType.Section, {
  components: z
    .array(unionOfKinds('type', [textDisplay]))
    .min(1)
    .max(3),
  accessory: unionOfKinds('type', [button, thumbnail]),
});

const content = [actionRow, section, textDisplay, mediaGallery, file, separator] as const;

const container = component(ComponentType.Container, {
  components: z.array(unionOfKinds('type', content)).min(1),
  accent_color: maybe(z.number().int().min(0).max(0xff_ff_ff)).transform((color) => color ?? null),
  spoiler: offByDefault,
});

export const topLevel = unionOfKinds('type', [...content, container]);
