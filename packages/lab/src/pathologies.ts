import type { Pathology } from './pathologies/pathology.ts';

/** Every row of the catalogue, in its order. */
export const pathologies: readonly Pathology[] = [];

const byId = new Map(pathologies.map((pathology) => [pathology.id, pathology]));

/** The pathology with this id, such as `B19` or `S3`; undefined when there is none. */
export function pathologyById(id: string): Pathology | undefined {
  return byId.get(id);
}
