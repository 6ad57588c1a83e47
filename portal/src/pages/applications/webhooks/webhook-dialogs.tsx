import { DeleteWebhookDocument, UpdateWebhookDocument } from '../../../gql/applications/webhooks/webhooks.js';
import type { WebhookRowFragment } from '../../../gql/types.js';
import { Danger, useAction } from '../../../ui/action.js';
import { OpenDialog } from '../../../ui/dialog.js';
import { DialogButtons } from '../../../ui/dialog-buttons.js';
import { useDraft } from '../../../ui/draft.js';
import { TextField } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { GoneMeanwhile } from '../../../ui/row-dialog.js';
import { Conflicts } from '../../../ui/save.js';
import { ChannelSelect } from './channel-select.js';

interface WebhookDialogProps {
  webhook: WebhookRowFragment;
  onClose: () => void;
}

/** Only changes are sent. */
export function EditWebhook({ webhook, isGone, onClose }: WebhookDialogProps & { isGone: boolean }) {
  const draft = useDraft({ name: webhook.name, channelId: webhook.channel?.id ?? '' });
  const { name, channelId } = draft.value;
  const conflicts = draft.conflicts.map((conflict) =>
    conflict.field === 'channelId' ? { ...conflict, theirs: webhook.channel?.name ?? null } : conflict,
  );
  const { run, isBusy, problem } = useAction(UpdateWebhookDocument, { isQuiet: true });
  const save = async () => {
    const { channelId: moved, ...renamed } = draft.changes;
    const changes = { ...renamed, ...(moved ? { channelId: moved } : {}) };
    if (await run({ input: { webhookId: webhook.id, ...changes } })) onClose();
  };
  return (
    <OpenDialog title={`Rename or move ${webhook.name}`} onClose={onClose}>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={draft.isChanged}
        onSubmit={save}
        buttons={(isOff) => <DialogButtons isOff={isOff} doIt="Save" />}
      >
        <GoneMeanwhile isGone={isGone} />
        <TextField
          label="Name"
          hint="1–80 characters."
          maxLength={80}
          value={name}
          fault={problem?.fields.name}
          onChange={({ target }) => draft.set('name', target.value)}
        />
        {webhook.guild && (
          <ChannelSelect
            guildId={webhook.guild.id}
            value={channelId}
            onChange={(chosen) => draft.set('channelId', chosen)}
            fault={problem?.fields.channelId}
          />
        )}
        <Conflicts draft={{ ...draft, conflicts }} names={{ name: 'Name', channelId: 'Channel' }} />
      </Form>
    </OpenDialog>
  );
}

/** Recreating a webhook is the only way to change its URL. */
export function DeleteWebhook({ webhook: { id, name }, onClose }: WebhookDialogProps) {
  const { run, isBusy, problem } = useAction(DeleteWebhookDocument, { isQuiet: true });
  const remove = async () => {
    if (await run({ input: { webhookId: id } })) onClose();
  };
  return (
    <Danger
      title={`Delete the webhook ${name}?`}
      doIt="Delete webhook"
      onDo={() => void remove()}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <p>Its URL stops working immediately. This can't be undone. To get a new URL, create another webhook.</p>
    </Danger>
  );
}
