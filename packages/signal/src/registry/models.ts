import type { ModelRow } from './model-row.ts';
import { messagesModels } from './models/anthropic.ts';
import { googleModels } from './models/google.ts';
import { openAiModels } from './models/openai.ts';
import { publishedModels } from './models/published.ts';

/** Every model known, keyed `provider/model` (SG-022). A model is one row in one of the files; the same model behind two providers is two. */
export const modelRows: readonly ModelRow[] = [...publishedModels, ...openAiModels, ...messagesModels, ...googleModels];
