/** Paragraphs that contain `text` are not checked. */
export const EXCEPTIONS: readonly { file: string; text: string; reason: string }[] = [];
