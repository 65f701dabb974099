package cause

// CodeDiffers is the code of a note about a value that the service's answer shows otherwise than it was sent.
const CodeDiffers = "stored_differently"

// CodeStays is the code of a note about a value that is no longer in the export and stays in the service, as nothing that can be
// sent removes it.
const CodeStays = "stays_in_service"
