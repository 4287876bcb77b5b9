export { type PartialEvent, type PartialInput, type PartialSource, partialSource, partials } from './partial/partials.ts';
export { createPartialReader, type PartialReader, type PartialReaderOptions, type PartialState } from './partial/reader.ts';
