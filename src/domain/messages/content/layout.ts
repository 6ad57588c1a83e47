import { ComponentType, MessageFlags } from 'discord-api-types/v10';
import { type FieldFault, invalidInput, unknownKind } from '../../errors.js';
import type { MessageComponent } from '../components/index.js';
import { mediaIn, walk } from '../components/tree.js';
import { attachmentNameIn } from './urls.js';

/** Maximum number of action rows without IS_COMPONENTS_V2. */
const MAX_ROWS = 5;

interface Look {
  flags: number;
  content: string;
  /** In stored format. */
  embeds: unknown;
  /** New components; undefined if the existing ones stay. */
  components: readonly MessageComponent[] | undefined;
  filenames: readonly string[];
}

/**
 * With IS_COMPONENTS_V2, a message has only components. Without it, a message has text, embeds and action rows
 * (Discord's documentation, Component Reference).
 * @throws INVALID_INPUT at `content`, `embeds` and in `components`
 */
export function checkLook(look: Look): void {
  const isLayout = (look.flags & MessageFlags.IsComponentsV2) !== 0;
  const faults = isLayout ? faultsBesideLayout(look) : faultsInRows(look);
  faults.push(...faultsInFiles(look));
  if (faults.length > 0) throw invalidInput(...faults);
}

function faultsBesideLayout({ content, embeds }: Look): FieldFault[] {
  const legacy = { content: content.length > 0, embeds: Array.isArray(embeds) && embeds.length > 0 };
  return Object.entries(legacy).flatMap(([path, isThere]) => {
    const message = `The '${path}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`;
    return isThere ? [{ path, code: 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', message }] : [];
  });
}

function faultsInRows({ components = [] }: Pick<Look, 'components'>): FieldFault[] {
  const faults = components.flatMap(({ type }, index) =>
    type === ComponentType.ActionRow
      ? []
      : [{ path: `components.${index}`, ...unknownKind('type', [ComponentType.ActionRow]) }],
  );
  if (components.length <= MAX_ROWS) return faults;
  const message = `Must be ${MAX_ROWS} or fewer in length.`;
  return [...faults, { path: 'components', code: 'BASE_TYPE_BAD_LENGTH', message }];
}

function faultsInFiles({ components = [], filenames }: Look): FieldFault[] {
  const missing = (url: string) => {
    const name = attachmentNameIn(url);
    return name !== undefined && !filenames.includes(name);
  };
  return [...walk(components)].flatMap(({ node, path }) =>
    mediaIn(node)
      .filter(({ url }) => missing(url))
      .map((media) => ({
        path: ['components', ...path, ...media.path].map(String).join('.'),
        code: 'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
        message: 'The referenced attachment was not found.',
      })),
  );
}
