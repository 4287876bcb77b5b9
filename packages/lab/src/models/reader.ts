import type { LabModel } from './scripted.ts';
/** a */
export function reader(): LabModel {
  return Object.assign(() => ({ text: '{}' }), { modelId: 'lab-reader', fingerprint: 'not-a-language-model' });
}
