package payload

import "testing"

func BenchmarkEncode(b *testing.B) {
	payloads := map[Operation]string{CreateCase: fullCase, CreateFolder: fullFolder, UpdateCase: fullUpdate, UpdateTrademark: fullMark}
	for op, text := range payloads {
		b.Run(string(op), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Encode(op, []byte(text), Switches{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
