import type { ModelCapabilities, ModelFacts } from '@vouch/contracts';
import type { RowProvenance } from './provider-row.ts';

/** What is known of one model behind one provider (SG-020, SG-022). The same model behind two providers is two rows. */
export interface ModelRow extends RowProvenance, ModelFacts {
  /** `provider/model`. */
  readonly id: string;
  readonly capabilities: ModelCapabilities;
}

/** A model that has no row. Resolution takes each `unmeasured` at its worst. */
export const unmeasuredModel: ModelCapabilities = {
  nativeJsonSchema: 'unmeasured',
  toolsWithStructuredOutput: 'unmeasured',
  manglesNestedToolArgs: 'unmeasured',
  multimodal: 'unmeasured',
};
