package config

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{&kept{value: keep(value)}} }
