import { ComponentType as Type } from 'discord-api-types/v10';
import { describe, expect } from 'vitest';
import { modalRequest, SubmittedComponents } from '../../../../src/domain/interactions/index.js';
import { parseInput } from '../../../../src/domain/parse-input.js';
import { Permission } from '../../../../src/domain/permissions.js';
import type { Interaction } from '../../../../src/infra/database/index.js';
import { it } from '../../../harness/fixtures.js';
import { outcome } from '../../../harness/outcome.js';
import { denyInChannel } from '../../../harness/rows.js';
import type { TestServer } from '../../../harness/server.js';
import { createChannel } from '../../../harness/world.js';
import { faultsOf, openScene, type Scene, sayWith, storeModal, whileTimedOut } from '../scene.js';

let server: TestServer;
let scene: Scene;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  scene = await openScene(server);
});

const NAME = { type: Type.Label, label: 'Name', component: { type: Type.TextInput, custom_id: 'name', style: 1 } };
const WHO = { type: Type.Label, label: 'Who', component: { type: Type.UserSelect, custom_id: 'who', required: false } };
const FILLED = [{ type: 18, component: { type: 4, custom_id: 'name', value: 'Ada' } }];

const submit = (interaction: Interaction, sent: unknown = FILLED, call = scene.ada) =>
  modalRequest(call, { interaction, components: parseInput(SubmittedComponents, sent, 'components') });

describe('a modal', () => {
  it('that is submitted has its values, its user and the interaction before it', async () => {
    const interaction = await storeModal(scene, [NAME, WHO]);
    const who = { type: 18, component: { type: 5, custom_id: 'who', values: [String(scene.users.outsider.id)] } };
    expect(await submit(interaction, [...FILLED, who])).toMatchObject({
      type: 5,
      name: 'form',
      commandId: null,
      parentId: interaction.id,
      application: { id: scene.bot.id },
      user: { id: scene.users.ada.id },
      data: {
        custom_id: 'form',
        components: [
          { type: 18, component: { type: 4, custom_id: 'name', value: 'Ada' } },
          { type: 18, component: { type: 5, custom_id: 'who', values: [String(scene.users.outsider.id)] } },
        ],
      },
      resolved: { users: [{ id: scene.users.outsider.id }] },
      owners: { guildId: scene.guild.id },
      message: null,
    });
  });

  it("that a component led to has the component's message, while that exists", async () => {
    const { id: messageId } = await sayWith(scene);
    const interaction = await storeModal(scene, [NAME], { type: 3, messageId });
    expect(await submit(interaction)).toMatchObject({ message: { id: messageId } });
    await server.app.db.writer.message.delete({ where: { id: messageId } });
    expect(await submit(interaction)).toMatchObject({ message: null });
  });

  it('is refused to users while they are timed out', async () => {
    const interaction = await storeModal(scene, [NAME]);
    await whileTimedOut(scene, async () => expect(await outcome(submit(interaction))).toBe('MISSING_PERMISSIONS'));
    expect(await outcome(submit(interaction))).toBe('ok');
  });

  it('is refused to users who were not shown it', async () => {
    const interaction = await storeModal(scene, [NAME]);
    expect(await outcome(submit(interaction, FILLED, scene.owner))).toBe('UNKNOWN_INTERACTION');
  });

  it('must have been shown', async () => {
    const interaction = await storeModal(scene, [NAME]);
    expect(await outcome(submit({ ...interaction, modal: null }))).toBe('UNKNOWN_INTERACTION');
  });

  it('must be of an installed application', async () => {
    const interaction = await storeModal(scene, [NAME], { owners: { userId: String(scene.users.ada.id) } });
    expect(await outcome(submit(interaction))).toBe('UNKNOWN_APPLICATION');
    expect(await outcome(submit(await storeModal(scene, [NAME], { owners: {} })))).toBe('UNKNOWN_APPLICATION');
  });

  it('must be in a channel that the user can view', async () => {
    const { id: channelId } = await createChannel(server.app, scene.guild.id, 'hidden');
    const interaction = await storeModal(scene, [NAME], { channelId });
    expect(await outcome(submit(interaction))).toBe('ok');
    await denyInChannel(server, { id: String(scene.guild.id) }, String(channelId), Permission.ViewChannel);
    expect(await outcome(submit(interaction))).toBe('UNKNOWN_CHANNEL');
  });

  it('has its errors at their paths', async () => {
    const interaction = await storeModal(scene, [NAME, WHO]);
    const who = { component: { custom_id: 'who', values: ['5'] } };
    expect(await faultsOf(submit(interaction, [who]))).toEqual(['components BASE_TYPE_REQUIRED']);
    expect(await faultsOf(submit(interaction, [...FILLED, who]))).toEqual([
      'components.1.component.values.0 UNKNOWN_USER',
    ]);
  });
});
