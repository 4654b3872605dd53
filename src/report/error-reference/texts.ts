/** Markdown texts by error code. Links are relative to `docs/`. */
export type ErrorTexts = Readonly<Record<string, { readonly meaning: string; readonly next: string }>>;
