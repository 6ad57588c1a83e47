import { z } from 'zod';

const whole = z.number().int().optional();

/** Only the fields that validate a submission. */
const StoredComponent = z.object({
  type: z.number().int(),
  id: whole,
  custom_id: z.string().optional(),
  required: z.boolean().optional(),
  min_values: whole,
  max_values: whole,
  min_length: whole,
  max_length: whole,
  options: z.array(z.object({ value: z.string() })).optional(),
  channel_types: z.array(z.number().int()).optional(),
  file_types: z.array(z.string()).optional(),
  get components(): z.ZodOptional<z.ZodArray<typeof StoredComponent>> {
    return z.array(StoredComponent).optional();
  },
  get component(): z.ZodOptional<typeof StoredComponent> {
    return StoredComponent.optional();
  },
});

export type StoredComponent = z.output<typeof StoredComponent>;

const StoredModal = z.object({ custom_id: z.string(), components: z.array(StoredComponent) });

export type StoredModal = z.output<typeof StoredModal>;

export function storedModal(value: unknown): StoredModal | undefined {
  return StoredModal.safeParse(value).data;
}
